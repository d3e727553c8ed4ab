import { mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { buildAcpHttpClient } from "../packages/acp-http-client/scripts/build.ts"
import { buildInspector } from "../packages/inspector/scripts/build.ts"
import { buildSandboxAgent } from "../packages/sandbox-agent/scripts/build.ts"
import { buildScriptedModel } from "../packages/scripted-model/scripts/build.ts"

/**
 * Compiles the executable: `bun scripts/build.ts [--target bun-linux-x64-musl …] [--outfile PATH]`.
 * Without a target it is this platform's, at dist/sandbox-agent. Without flags the npm packages are built as well.
 */
const root = join(import.meta.dir, "..")
const value = (flag: string) => {
  const at = process.argv.indexOf(flag)
  return at < 0 ? undefined : process.argv[at + 1]
}
const target = value("--target")
const outfile =
  value("--outfile") ?? join(root, "dist", target ? `sandbox-agent-${target.replace(/^bun-/, "")}` : "sandbox-agent")
mkdirSync(join(outfile, ".."), { recursive: true })
// The executable carries it.
console.log(`packages/inspector/dist  ${((await buildInspector()) / 1024).toFixed(1)} KiB`)
const built = Bun.spawnSync(
  [
    process.execPath,
    "build",
    join(root, "packages/daemon/src/main.ts"),
    "--compile",
    "--minify",
    // Parsing is most of a start: bytecode takes it out.
    "--bytecode",
    "--format=esm",
    // In one piece, all functions of the program are made at its start, also those of what is loaded on demand.
    "--splitting",
    // The daemon and its agents start in users' folders: a .env or bunfig.toml there is not for us.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    ...(target ? [`--target=${target}`] : []),
    "--outfile",
    outfile,
  ],
  { stdout: "inherit", stderr: "inherit", cwd: root },
)
if (built.exitCode !== 0) process.exit(built.exitCode)
console.log(`${outfile}  ${(statSync(outfile).size / 2 ** 20).toFixed(1)} MiB`)

if (process.argv.length === 2) {
  const size = await buildAcpHttpClient()
  console.log(`packages/acp-http-client/dist  ${(size / 1024).toFixed(1)} KiB`)
  console.log(`packages/sandbox-agent/dist  ${((await buildSandboxAgent()) / 1024).toFixed(1)} KiB`)
  buildScriptedModel()
  console.log("packages/scripted-model/dist")
}
