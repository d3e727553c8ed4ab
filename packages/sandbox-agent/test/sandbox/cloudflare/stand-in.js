import { Sandbox as CloudflareSandbox } from "@cloudflare/sandbox"

/**
 * The class of the package, with a container that stands in for those of Cloudflare, which need its engine: what is sent to a port
 * of it goes to loopback, where the test has the server of the sandbox's image (port 3000) and the daemon.
 */
export class Sandbox extends CloudflareSandbox {
  constructor(ctx, env) {
    let ended = () => undefined
    const tell = (what) => fetch(`${env.EDGE}/stand-in/${what}/${ctx.id.name ?? ctx.id}`, { method: "POST" })
    const container = {
      running: false,
      start() {
        container.running = true
        container.starting = tell("start")
      },
      monitor: () =>
        new Promise((resolve) => {
          ended = resolve
        }),
      async destroy() {
        container.running = false
        await tell("destroy")
        ended()
      },
      signal: () => undefined,
      setInactivityTimeout: async () => undefined,
      getTcpPort: (port) => ({
        async fetch(input, init) {
          await container.starting
          const request = new Request(input, init)
          const { pathname, search } = new URL(request.url)
          const base = port === 3000 ? `${env.EDGE}/${ctx.id.name ?? ctx.id}` : `http://127.0.0.1:${port}`
          return fetch(new Request(base + pathname + search, request))
        },
      }),
    }
    Object.defineProperty(ctx, "container", { value: container })
    super(ctx, env)
  }
}
