import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import { workerdProgram } from "../../../acp-http-client/test/servers/npm-program.ts"
import { startProcess } from "../../../acp-http-client/test/servers/process.ts"
import { type Answering, json, VendorEdge } from "./vendor-edge.ts"

const root = join(import.meta.dirname, "../..")
export const sources = join(import.meta.dirname, "cloudflare")

/** The package itself, as it is published. */
export const cloudflareFile = fetched({
  name: "cloudflare-sandbox-0.12.10",
  spec: "@cloudflare/sandbox@0.12.10",
  file: "@cloudflare/sandbox/dist/index.js",
})

/** The server in the image of Cloudflare's sandboxes, as far as the package asks it: `/<id>/api/…`. */
export class CloudflareEdge extends VendorEdge {
  protected sandboxAndPortOf(host: string): [string, string] {
    return [host, ""]
  }

  protected answer: Answering = async ({ path, body }, response) => {
    const [, id = "", what] = /^\/([^/]+)\/(.*)$/.exec(new URL(path, this.url).pathname) ?? []
    if (id === "stand-in") {
      const [how, name = ""] = (what ?? "").split("/")
      if (how === "start") await this.make("", name)
      else this.end(name)
      return json(response, 200, {})
    }
    const machine = this.machines.get(id)
    if (machine === undefined) return json(response, 404, { code: "NOT_FOUND", message: "no container" })
    const given = body.length === 0 ? {} : JSON.parse(body.toString())
    const timestamp = new Date(0).toISOString()
    if (what === "api/execute") {
      const ran = await machine.run(["bash", "-c", given.command], given.env)
      return json(response, 200, { ...ran, success: ran.exitCode === 0, command: given.command, timestamp })
    }
    if (what === "api/process/start") {
      const { pid } = machine.start(["bash", "-c", given.command], given.env)
      return json(response, 200, { success: true, processId: "process-1", pid, command: given.command, timestamp })
    }
    if (what === "api/version") return json(response, 200, { version: "0.12.10", success: true, timestamp })
    json(response, 200, { success: true, id: given.id, message: "pong", timestamp })
  }
}

/** A Worker in workerd, with the published package and ours as it is published: `files` are put side by side, `worker.js` is its entry. */
export async function startWorker(work: string, edge: CloudflareEdge, files: Record<string, string>) {
  const folder = join(work, "worker")
  const modules = join(folder, "node_modules")
  const file = cloudflareFile
  mkdirSync(folder, { recursive: true })
  cpSync(file.slice(0, file.indexOf("/@cloudflare/")), modules, { recursive: true })
  cpSync(join(root, "../../node_modules/modern-tar"), join(modules, "modern-tar"), { recursive: true })
  for (const [name, script] of [
    ["acp-http-client", "../acp-http-client/scripts/build.ts"],
    ["sandbox-agent", "scripts/build.ts"],
  ] as const) {
    const { status, stderr } = spawnSync(process.execPath, [join(root, script), join(modules, name)])
    if (status !== 0) throw new Error(String(stderr))
  }
  const all = { "stand-in.js": join(sources, "stand-in.js"), "worker.capnp": join(sources, "worker.capnp"), ...files }
  for (const [name, path] of Object.entries(all)) cpSync(path, join(folder, name))
  const built = await Bun.build({
    entrypoints: [join(folder, "worker.js")],
    conditions: ["workerd", "worker"],
    target: "browser",
    external: ["cloudflare:*", "node:*"],
    outdir: join(folder, "out"),
  })
  if (!built.success) throw new Error(built.logs.join("\n"))
  cpSync(join(folder, "worker.capnp"), join(folder, "out/worker.capnp"))
  const objects = join(folder, "objects")
  mkdirSync(objects)
  const flags = ["--control-fd=1", `--directory-path=objects=${objects}`]
  const words = [workerdProgram(), "serve", join(folder, "out/worker.capnp"), ...flags]
  const workerd = await startProcess(words, { env: { EDGE: edge.url }, says: /"port":\s*(\d+)/ })
  const ask = async (options: object): Promise<Record<string, string>> => {
    const answer = await fetch(`http://127.0.0.1:${workerd.url}/`, { method: "POST", body: JSON.stringify(options) })
    return (await answer.json()) as Record<string, string>
  }
  return { ask, stop: workerd.stop }
}
