import { rmSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dir, "..")

/** Writes dist/, for Node: Bun takes the source as it is. */
export function buildScriptedModel(): void {
  rmSync(join(root, "dist"), { recursive: true, force: true })
  const tsc = join(root, "../../node_modules/.bin/tsc")
  const { exitCode, stdout } = Bun.spawnSync([tsc, "-p", root], { cwd: root })
  if (exitCode !== 0) throw new Error(`tsc: ${stdout}`)
}

if (import.meta.main) buildScriptedModel()
