import { SandboxAgentError, SandboxError } from "../errors.ts"
import type { Fetch } from "../http/http.ts"
import { randomId } from "../random-id.ts"
import { shellWord } from "../shell-word.gen.ts"
import type { SocketMaker } from "../socket/socket-maker.ts"
import { UpgradedSocket } from "../socket/upgraded.ts"
import type { Machine, Ran, Vendor } from "./machine.ts"
import { raise } from "./raise.ts"
import type { SandboxAddress, SandboxOptions, SandboxProvider } from "./sandbox.ts"
import { textOf } from "./vendor-package.ts"

export interface CloudflareOptions extends Omit<SandboxOptions, "binaryPath"> {
  /** The sandbox of an id: `(id) => getSandbox(env.Sandbox, id)`, with that of the package `@cloudflare/sandbox`. */
  sandbox: (id: string) => CloudflareSandbox
}

/** What is used of a sandbox of the package `@cloudflare/sandbox`. */
export interface CloudflareSandbox {
  exec(command: string): Promise<{ exitCode: number; stdout: string; stderr: string }>
  startProcess(command: string, options: { env: Record<string, string> }): Promise<unknown>
  containerFetch(request: Request, port: number): Promise<Response>
  /** Terminals need it; the package has it before version 1. */
  wsConnect?(request: Request, port: number): Promise<Response>
  destroy(): Promise<void>
}

/** A sandbox of Cloudflare, from the Worker that has its binding. Its image has the daemon, or `install` brings it. */
export function cloudflare(options: CloudflareOptions): SandboxProvider {
  return { name: "cloudflare", create: (start) => raise(new Cloudflare(options), options, start) }
}

class Cloudflare implements Vendor {
  readonly name = "cloudflare"
  readonly #options: CloudflareOptions

  constructor(options: CloudflareOptions) {
    this.#options = options
  }

  async make(): Promise<Machine> {
    // Small letters: Cloudflare makes names of hosts of it.
    const machine = this.#machine(randomId("sandbox-agent").replace("_", "-"))
    try {
      // A container starts with the first thing that is asked of it.
      await machine.run("true")
      return machine
    } catch (error) {
      await machine.remove()
      throw error
    }
  }

  /** Every id is a sandbox there, which is empty when nobody had it. */
  find(id: string): Promise<Machine> {
    return Promise.resolve(this.#machine(id))
  }

  explain(error: unknown): ReturnType<Vendor["explain"]> {
    return { code: "provider", message: textOf(error) }
  }

  #machine(id: string): CloudflareMachine {
    const { sandbox } = this.#options
    if (typeof sandbox !== "function")
      throw new SandboxAgentError("argument", "sandbox: (id) => getSandbox(env.Sandbox, id) is expected")
    return new CloudflareMachine(id, sandbox(id))
  }
}

class CloudflareMachine implements Machine {
  readonly id: string
  readonly #sandbox: CloudflareSandbox

  constructor(id: string, sandbox: CloudflareSandbox) {
    this.id = id
    this.#sandbox = sandbox
  }

  /** In a shell of its own: that of the sandbox is kept, and would end with `exit`. */
  async run(command: string): Promise<Ran> {
    const { exitCode, stdout, stderr } = await this.#sandbox.exec(`sh -c ${shellWord(command)}`)
    return { exitCode, output: stdout + stderr }
  }

  /** A Worker has no executable to send. */
  write(): Promise<void> {
    const message = "The sandbox has no sandbox-agent: give `install`, or an image that has it"
    return Promise.reject(new SandboxError("cloudflare", "daemon_missing", message))
  }

  async start(command: string, env: Record<string, string>): Promise<void> {
    await this.#sandbox.startProcess(`sh -c ${shellWord(command)}`, { env })
  }

  /** Not over the network: the Worker speaks to the container itself. */
  address(port: number): Promise<SandboxAddress> {
    const fetch: Fetch = async (url, { signal, ...init } = {}) => {
      // A signal does not go from a Worker to the object of a sandbox. What comes back heeds it here.
      const response = await this.#sandbox.containerFetch(new Request(url, init), port)
      if (response.body === null || !signal) return response
      return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response)
    }
    return Promise.resolve({ baseUrl: `http://localhost:${port}`, fetch, WebSocket: this.#socketTo(port) })
  }

  #socketTo(port: number): SocketMaker {
    const sandbox = this.#sandbox
    return class extends UpgradedSocket {
      constructor(url: string) {
        if (sandbox.wsConnect === undefined)
          throw new SandboxError("cloudflare", "provider", "Terminals need a sandbox that has `wsConnect`")
        // Both, as a browser has them: by these the package tells it from other requests.
        const headers = { upgrade: "websocket", connection: "Upgrade" }
        const request = new Request(url.replace(/^ws/, "http"), { headers })
        super(async () => (await sandbox.wsConnect?.(request, port)) ?? Response.error())
      }
    }
  }

  async remove(): Promise<void> {
    await this.#sandbox.destroy()
  }
}
