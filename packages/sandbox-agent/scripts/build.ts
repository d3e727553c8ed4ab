import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildAcpHttpClient } from "../../acp-http-client/scripts/build.ts"
import { platformDependencies } from "./platforms.ts"

/**
 * Writes what is published to dist/: modules and declarations as the compiler makes them, and a package.json that names them.
 * It depends on acp-http-client as it is published.
 */
const root = join(import.meta.dir, "..")

export async function buildSandboxAgent(dist = join(root, "dist")): Promise<number> {
  const work = mkdtempSync(join(tmpdir(), "sandbox-agent-build-"))
  try {
    rmSync(dist, { recursive: true, force: true })
    const client = join(work, "acp-http-client")
    await buildAcpHttpClient(client)
    compile(dist, work, join(client, "acp-http-client.d.ts"))
  } finally {
    rmSync(work, { recursive: true })
  }
  manifest(dist)
  copyFileSync(join(root, "README.md"), join(dist, "README.md"))
  copyFileSync(join(root, "../../LICENSE"), join(dist, "LICENSE"))
  const modules = filesOf(dist).filter((file) => file.endsWith(".js"))
  return modules.reduce((size, file) => size + statSync(join(dist, file)).size, 0)
}

const filesOf = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" })

function compile(dist: string, work: string, clientTypes: string): void {
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      rootDir: join(root, "src"),
      outDir: dist,
      // Here the other package is its declarations, not its source.
      paths: { "acp-http-client": [clientTypes] },
      typeRoots: [join(root, "../../node_modules/@types")],
    },
    include: [join(root, "src")],
  }
  writeFileSync(join(work, "tsconfig.json"), JSON.stringify(config))
  const tsc = join(root, "../../node_modules/.bin/tsc")
  const { exitCode, stdout } = Bun.spawnSync([tsc, "-p", join(work, "tsconfig.json")], { cwd: root })
  if (exitCode !== 0) throw new Error(`tsc: ${stdout}`)
  for (const name of filesOf(dist).filter((file) => file.endsWith(".d.ts"))) {
    const file = join(dist, name)
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/((?:from |import\()"\.[^"]+)\.ts"/g, '$1.js"'))
  }
}

function manifest(dist: string): void {
  const source = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { private: _, scripts: _____, devDependencies: __, exports: ___, imports: ____, ...kept } = source
  const entryOf = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` })
  // Where there are no processes and no files, and sockets are the runtime's own.
  const per = (program: string, nowhere: string) => ({
    browser: nowhere,
    workerd: nowhere,
    "edge-light": nowhere,
    default: program,
  })
  const imports = {
    "#embedded": per("./embedded/spawn.js", "./embedded/unavailable.js"),
    "#local-files": per("./local/files.js", "./local/unavailable.js"),
    "#linux-executable": per("./sandbox/linux-executable.js", "./sandbox/no-executable.js"),
    "#web-socket": per("./socket/node.js", "./socket/native.js"),
  }
  const exports = {
    ".": entryOf("sandbox-agent"),
    "./react": entryOf("react/react"),
    "./store": entryOf("store/ingest"),
    "./store/memory": entryOf("store/memory"),
    "./store/sqlite": entryOf("store/sqlite"),
    "./store/postgres": entryOf("store/postgres"),
    "./store/indexeddb": entryOf("store/indexeddb"),
    "./local": entryOf("sandbox/local"),
    "./docker": entryOf("sandbox/docker"),
    "./e2b": entryOf("sandbox/e2b"),
    "./vercel": entryOf("sandbox/vercel"),
    "./daytona": entryOf("sandbox/daytona"),
    "./cloudflare": entryOf("sandbox/cloudflare"),
    "./package.json": "./package.json",
  }
  // Not in the package of the sources: nothing is installed for working on it.
  const optionalDependencies = platformDependencies(source.version)
  const published = { ...kept, optionalDependencies, exports, imports, sideEffects: false }
  writeFileSync(join(dist, "package.json"), `${JSON.stringify(published, null, 2)}\n`)
}

if (import.meta.main) {
  const size = await buildSandboxAgent(process.argv[2])
  console.log(`sandbox-agent  ${(size / 1024).toFixed(1)} KiB`)
}
