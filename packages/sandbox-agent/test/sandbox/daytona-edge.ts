import { writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { pathToFileURL } from "node:url"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import type { DaytonaSdk } from "../../src/sandbox/daytona.ts"
import type { LocalMachine } from "./local-machine.ts"
import { type Answering, type Asked, json, VendorEdge } from "./vendor-edge.ts"

/** The package itself, as it is published. */
export const daytonaFile = fetched({
  name: "daytona-sdk-0.216.0",
  spec: "@daytona/sdk@0.216.0",
  // The second asks for a first of its own version or newer: what is newest of both need not fit.
  also: ["@aws-sdk/client-s3@3.1131.0", "@aws-sdk/lib-storage@3.1131.0"],
  file: "@daytona/sdk/esm/index.js",
})
export const daytonaPackage = async (): Promise<DaytonaSdk> =>
  ((await import(pathToFileURL(daytonaFile).href)) as { Daytona: DaytonaSdk }).Daytona

/** Daytona's API, and that of the toolbox in its sandboxes. */
export class DaytonaEdge extends VendorEdge {
  readonly #names = new Map<string, string>()

  protected override readonly proxyKey: [string, string] = ["x-daytona-preview-token", "preview-token"]

  protected sandboxAndPortOf(host: string): [string, string] {
    const [, port = "", id = ""] = /^(\d+)-([^.]+)\.proxy\.daytona\.test$/.exec(host) ?? []
    return [id, port]
  }

  protected answer: Answering = async (asked, response) => {
    const { method, path, headers, body } = asked
    const { pathname } = new URL(path, this.url)
    if (headers.authorization !== `Bearer ${VendorEdge.key}`)
      return json(response, 401, { statusCode: 401, message: "Invalid credentials" })
    if (method === "POST" && pathname === "/sandbox") {
      const id = await this.make("sandbox-")
      this.#names.set(JSON.parse(body.toString()).name, id)
      return json(response, 200, this.#described(id))
    }
    const [, where, named = "", what = ""] = /^\/(sandbox|toolbox)\/([^/]+)\/?(.*)$/.exec(pathname) ?? []
    const id = this.#names.get(named) ?? named
    const machine = this.machines.get(id)
    if (machine === undefined) return json(response, 404, { statusCode: 404, message: `Sandbox ${named} not found` })
    if (where === "toolbox") return toolbox(machine, what, asked, response)
    const [, port] = /^ports\/(\d+)\/preview-url$/.exec(what) ?? []
    if (port !== undefined)
      return json(response, 200, {
        sandboxId: id,
        url: `https://${port}-${id}.proxy.daytona.test`,
        token: "preview-token",
      })
    if (method === "DELETE") this.end(id)
    json(response, 200, this.#described(id))
  }

  #described(id: string) {
    const toolboxProxyUrl = `${this.url}/toolbox`
    return {
      id,
      name: id,
      organizationId: "org",
      state: "started",
      labels: {},
      env: {},
      public: false,
      toolboxProxyUrl,
    }
  }
}

async function toolbox(
  machine: LocalMachine,
  what: string,
  { headers, body }: Asked,
  response: ServerResponse,
): Promise<void> {
  if (what === "files/bulk-upload") {
    const type = { "content-type": String(headers["content-type"]) }
    const form = await new Response(new Uint8Array(body), { headers: type }).formData()
    const file = form.get("files[0].file") as File
    writeFileSync(String(form.get("files[0].path")), new Uint8Array(await file.arrayBuffer()))
    return json(response, 200, {})
  }
  const { command, envs } = JSON.parse(body.toString()) as { command: string; envs?: Record<string, string> }
  if (what === "process/execute") {
    const { exitCode, stdout } = await machine.run(["sh", "-c", command], envs)
    return json(response, 200, { exitCode, result: stdout })
  }
  if (what === "process/session") return json(response, 201)
  if (!/^process\/session\/[^/]+\/exec$/.test(what)) return json(response, 404, { statusCode: 404, message: what })
  machine.start(["sh", "-c", command])
  json(response, 202, { cmdId: "cmd-1" })
}
