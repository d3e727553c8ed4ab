import { writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { pathToFileURL } from "node:url"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import type { E2bSdk } from "../../src/sandbox/e2b.ts"
import type { LocalMachine } from "./local-machine.ts"
import { type Answering, type Asked, json, VendorEdge } from "./vendor-edge.ts"

/** The package itself, as it is published. */
export const e2bFile = fetched({ name: "e2b-2.51.0", spec: "e2b@2.51.0", file: "e2b/dist/index.mjs" })
export const e2bPackage = async (): Promise<E2bSdk> =>
  ((await import(pathToFileURL(e2bFile).href)) as { Sandbox: E2bSdk }).Sandbox

interface Started {
  process: { cmd: string; args: string[]; envs: Record<string, string> }
}

/** E2B's API, and that of envd, which runs in its sandboxes (Connect with JSON). */
export class E2bEdge extends VendorEdge {
  protected override readonly proxyKey: [string, string] = ["e2b-traffic-access-token", "traffic-token"]

  protected sandboxAndPortOf(host: string): [string, string] {
    const [, port = "", id = ""] = /^(\d+)-([^.]+)\.e2b\.test$/.exec(host) ?? []
    return [id, port]
  }

  protected answer: Answering = async (asked, response) => {
    const { method, path, headers, body } = asked
    const inside = this.machines.get(String(headers["e2b-sandbox-id"]))
    if (headers["e2b-sandbox-id"] !== undefined)
      return inside === undefined
        ? json(response, 502, { message: "The sandbox was not found" })
        : envd(inside, asked, response)
    if (headers["x-api-key"] !== VendorEdge.key) return json(response, 401, { code: 401, message: "Invalid API key" })
    const [, connecting] = /^\/v2\/sandboxes\/([^/]+)\/connect$/.exec(path) ?? []
    if (method === "POST" && path === "/v2/sandboxes") {
      if (JSON.parse(body.toString()).templateID === "nobodys")
        return json(response, 404, { code: 404, message: "template 'nobodys' not found" })
      return json(response, 201, described(await this.make("isandbox")))
    }
    if (connecting !== undefined)
      return this.machines.has(connecting)
        ? json(response, 200, described(connecting))
        : json(response, 404, { code: 404, message: "no such sandbox" })
    const [, killed = ""] = /^\/sandboxes\/([^/]+)$/.exec(path) ?? []
    if (method !== "DELETE" || !this.machines.has(killed))
      return json(response, 404, { code: 404, message: "not found" })
    this.end(killed)
    response.writeHead(204).end()
  }
}

const described = (sandboxID: string) => ({
  sandboxID,
  templateID: "base",
  clientID: "client",
  domain: "e2b.test",
  envdVersion: "0.5.7",
  envdAccessToken: "envd-token",
  trafficAccessToken: "traffic-token",
})

async function envd(machine: LocalMachine, { path, body, headers }: Asked, response: ServerResponse): Promise<void> {
  if (headers["x-access-token"] !== "envd-token") return json(response, 401, { message: "no access" })
  if (path.startsWith("/files?")) {
    const form = await new Response(new Uint8Array(body), {
      headers: { "content-type": String(headers["content-type"]) },
    }).formData()
    const to = new URL(path, "http://envd").searchParams.get("path") ?? ""
    writeFileSync(to, new Uint8Array(await (form.get("file") as File).arrayBuffer()))
    return json(response, 200, [{ name: to.split("/").at(-1), path: to, type: "file" }])
  }
  if (path !== "/process.Process/Start") return json(response, 404, { code: "unimplemented" })
  const { process } = JSON.parse(body.subarray(5).toString()) as Started
  const child = machine.start([process.cmd, ...process.args], process.envs ?? {}, "pipe")
  child.stdin?.end()
  response.writeHead(200, { "content-type": "application/connect+json" })
  response.write(frame({ event: { start: { pid: child.pid } } }))
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.on("data", (bytes: Buffer) =>
      response.write(frame({ event: { data: { [name]: bytes.toString("base64") } } })),
    )
  child.on("close", (exitCode) => {
    response.write(
      frame({ event: { end: { exitCode: exitCode ?? 1, exited: true, status: `exit status ${exitCode}` } } }),
    )
    response.end(frame({}, 2))
  })
}

/** A message of a stream: its flags, its length, itself. */
function frame(value: unknown, flags = 0): Buffer {
  const text = Buffer.from(JSON.stringify(value))
  const head = Buffer.alloc(5)
  head.writeUInt8(flags)
  head.writeUInt32BE(text.length, 1)
  return Buffer.concat([head, text])
}
