import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "bun"
import { buildAcpHttpClient } from "../../packages/acp-http-client/scripts/build.ts"
import { buildSandboxAgent } from "../../packages/sandbox-agent/scripts/build.ts"

const root = join(import.meta.dir, "../..")

/** The client as it is published, with what it needs beside it; the folder of packages. */
export async function builtClient(): Promise<string> {
  const modules = join(mkdtempSync(join(tmpdir(), "sandbox-agent-bench-sdk-")), "node_modules")
  mkdirSync(modules)
  await buildAcpHttpClient(join(modules, "acp-http-client"))
  await buildSandboxAgent(join(modules, "sandbox-agent"))
  for (const name of ["modern-tar", "ws", "react"]) symlinkSync(join(root, "node_modules", name), join(modules, name))
  return modules
}

/** What a page downloads for an entry, in KiB, minified and packed. */
export async function bundledKiB(modules: string, entry: string): Promise<number> {
  const file = join(modules, `../${entry.replaceAll("/", "-")}.js`)
  await Bun.write(file, `export * from "${entry}"`)
  const { peerDependencies = {} } = await Bun.file(join(modules, "sandbox-agent/package.json")).json()
  const external = [...Object.keys(peerDependencies), "node:*"]
  const { outputs } = await Bun.build({ entrypoints: [file], target: "browser", minify: true, external })
  const bytes = await outputs[0]?.arrayBuffer()
  if (bytes === undefined) throw new Error(`${entry} could not be bundled`)
  return gzipSync(new Uint8Array(bytes), { level: 9 }).byteLength / 1024
}

/** A real Node: `bun` may put one of its own before it. */
export const node = (): string => {
  const PATH = (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("bun-node"))
  return Bun.which("node", { PATH: PATH.join(":") }) ?? "node"
}
