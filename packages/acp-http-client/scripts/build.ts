import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/**
 * Writes what is published to dist/: one module without dependencies, its declarations, and a package.json that names them.
 * The words of the protocol are the official SDK's own declarations, copied, so that nobody has to install it for its types.
 */
const root = join(import.meta.dir, "..")
const sdk = "@agentclientprotocol/sdk/unstable"

export async function buildAcpHttpClient(dist = join(root, "dist")): Promise<number> {
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist, { recursive: true })
  const code = await bundle("acp-http-client")
  writeFileSync(join(dist, "acp-http-client.js"), code)
  // By a name that only this workspace has: others of its packages read streams of events by it.
  writeFileSync(join(dist, "sse.js"), await bundle("sse"))
  declarations(dist)
  manifest(dist)
  copyFileSync(join(root, "README.md"), join(dist, "README.md"))
  copyFileSync(join(root, "../../LICENSE"), join(dist, "LICENSE"))
  return code.length
}

async function bundle(name: string): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(root, `src/${name}.ts`)],
    target: "browser",
    format: "esm",
    minify: { syntax: true, whitespace: false, identifiers: false },
  })
  const code = await built.outputs[0]?.text()
  if (!built.success || code === undefined) throw new Error(built.logs.join("\n"))
  return code
}

function declarations(dist: string): void {
  const tsc = join(root, "../../node_modules/.bin/tsc")
  const { exitCode, stdout } = Bun.spawnSync([tsc, "-p", root, "--outDir", dist], { cwd: root })
  if (exitCode !== 0) throw new Error(`tsc: ${stdout}`)
  // Its package.json gives no path to the file that holds the types alone.
  const entry = createRequire(import.meta.url).resolve(sdk)
  copyFileSync(join(dirname(entry), "schema/types.gen.d.ts"), join(dist, "acp-types.d.ts"))
  for (const name of readdirSync(dist).filter((file) => file.endsWith(".d.ts"))) {
    const file = join(dist, name)
    const text = readFileSync(file, "utf8").replaceAll(`"${sdk}"`, '"./acp-types.js"')
    writeFileSync(file, text.replaceAll(/(from "\.\/[^"]+)\.ts"/g, '$1.js"'))
  }
}

function manifest(dist: string): void {
  const source = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { private: _, scripts: ____, devDependencies: __, exports: ___, ...kept } = source
  const entry = { types: "./acp-http-client.d.ts", default: "./acp-http-client.js" }
  const published = { ...kept, exports: { ".": entry, "./package.json": "./package.json" }, sideEffects: false }
  writeFileSync(join(dist, "package.json"), `${JSON.stringify(published, null, 2)}\n`)
}

if (import.meta.main) {
  const size = await buildAcpHttpClient(process.argv[2])
  console.log(`acp-http-client  ${(size / 1024).toFixed(1)} KiB`)
}
