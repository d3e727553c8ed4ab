import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { sources } from "./agents.ts"
import { readDocument, recordedPath, repository } from "./document.ts"
import { typescriptOf } from "./typescript.ts"

/** Where the types of an agent go, relative to the repository. */
export function generatedPath(agent: string): string {
  return `packages/daemon/src/drivers/${agent}/native.gen.ts`
}

/** Types made of the recorded schema. */
export function generate(agent: string): string | undefined {
  const wanted = sources[agent]?.roots
  return wanted && formatted(typescriptOf(readDocument(recordedPath(agent)), wanted))
}

/** What is there, or nothing. */
export function present(path: string): string | undefined {
  const file = resolve(repository, path)
  return existsSync(file) ? readFileSync(file, "utf8") : undefined
}

/** Whether there was something to write. */
export function write(path: string, text: string): boolean {
  if (present(path) === text) return false
  mkdirSync(dirname(resolve(repository, path)), { recursive: true })
  writeFileSync(resolve(repository, path), text)
  return true
}

/** As the rest of the repository is written. */
function formatted(text: string): string {
  const biome = join(repository, "node_modules/@biomejs/biome/bin/biome")
  const { status, stdout, stderr } = spawnSync(process.execPath, [biome, "format", "--stdin-file-path=native.gen.ts"], {
    cwd: repository,
    input: text,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`the generated types cannot be formatted: ${stderr}`)
  return stdout
}
