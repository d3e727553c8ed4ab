import { spawnSync } from "node:child_process"
import type { ServerResponse } from "node:http"
import { pathToFileURL } from "node:url"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import type { VercelSdk } from "../../src/sandbox/vercel.ts"
import type { Fetch } from "../../src/sandbox-agent.ts"
import type { LocalMachine } from "./local-machine.ts"
import { type Answering, json, VendorEdge } from "./vendor-edge.ts"

/** The package itself, as it is published. */
export const vercelFile = fetched({
  name: "vercel-sandbox-3.5.0",
  spec: "@vercel/sandbox@3.5.0",
  file: "@vercel/sandbox/dist/index.js",
})
export const vercelPackage = async (): Promise<VercelSdk> =>
  ((await import(pathToFileURL(vercelFile).href)) as { Sandbox: VercelSdk }).Sandbox

interface Asking {
  name?: string
  ports?: number[]
  command: string
  args: string[]
  env?: Record<string, string>
  wait?: boolean
}

/** Vercel's API for sandboxes. A session is called as its sandbox is. */
export class VercelEdge extends VendorEdge {
  readonly #ports = new Map<string, number[]>()

  /** The package has one address, and takes a `fetch`. */
  readonly toApi: Fetch = (url, init) => fetch(url.replace("https://vercel.com/api", this.url), init)

  protected sandboxAndPortOf(host: string): [string, string] {
    const [, id = "", port = ""] = /^(.+)-(\d+)\.vercel\.run$/.exec(host) ?? []
    return [id, port]
  }

  protected answer: Answering = async ({ method, path, headers, body }, response) => {
    const { pathname } = new URL(path, this.url)
    if (headers.authorization !== `Bearer ${VendorEdge.key}`)
      return json(response, 403, { error: { code: "forbidden", message: "Not authorized", invalidToken: true } })
    const given = (): Asking => JSON.parse(body.toString())
    if (method === "POST" && pathname === "/v3/sandboxes") {
      const { name = "", ports = [] } = given()
      await this.make("", name)
      this.#ports.set(name, ports)
      return json(response, 200, this.#described(name))
    }
    const [, id = "", what] = /^\/v2\/sandboxes\/(?:sessions\/)?([^/]+)(?:\/(.+))?$/.exec(pathname) ?? []
    const machine = this.machines.get(id)
    if (machine === undefined)
      return json(response, 404, { error: { code: "not_found", message: `Sandbox ${id} not found` } })
    if (what === "cmd") return command(machine, id, given(), response)
    if (what === "fs/write") {
      const { status, stderr } = spawnSync("tar", ["-xz", "-C", String(headers["x-cwd"])], { input: body })
      return status === 0 ? json(response, 200, {}) : json(response, 500, { error: { message: String(stderr) } })
    }
    const described = this.#described(id)
    if (what === "stop") return json(response, 200, { session: { ...described.session, status: "stopped" } })
    if (method === "DELETE") this.end(id)
    json(response, 200, described)
  }

  #described(name: string) {
    const times = { createdAt: 1, updatedAt: 1, requestedAt: 1, startedAt: 1 }
    const session = {
      id: name,
      memory: 2048,
      vcpus: 1,
      region: "iad1",
      timeout: 1,
      status: "running",
      cwd: "/",
      ...times,
    }
    const sandbox = { name, persistent: false, currentSessionId: name, status: "running", createdAt: 1, updatedAt: 1 }
    const routes = (this.#ports.get(name) ?? []).map((port) => {
      const subdomain = `${name}-${port}`
      return { url: `https://${subdomain}.vercel.run`, subdomain, port }
    })
    return { sandbox, session, routes }
  }
}

async function command(
  machine: LocalMachine,
  sessionId: string,
  asking: Asking,
  response: ServerResponse,
): Promise<void> {
  const { command: name, args, env = {}, wait } = asking
  const described = { id: "cmd_1", name, args, cwd: "/", sessionId, exitCode: null, startedAt: 1 }
  if (!wait) {
    machine.start([name, ...args], env)
    return json(response, 200, { command: described })
  }
  response.writeHead(200, { "content-type": "application/x-ndjson" })
  response.write(`${JSON.stringify({ command: described })}\n`)
  const { exitCode, stdout, stderr } = await machine.run([name, ...args], env)
  const lines = [
    ...(stdout === "" ? [] : [{ stream: "stdout", data: stdout }]),
    ...(stderr === "" ? [] : [{ stream: "stderr", data: stderr }]),
    { command: { ...described, exitCode } },
  ]
  response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
}
