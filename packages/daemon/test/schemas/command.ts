import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { repository } from "../../../../scripts/schemas/document.ts"

const COMMAND_MS = 30 * 60_000

export interface Ran {
  code: number | null
  out: string
  err: string
}

/** `npm run schemas -- …`, as a person would. */
export function schemas(words: readonly string[], env: Record<string, string> = {}): Ran {
  const script = join(repository, "scripts/schemas.ts")
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], {
    cwd: repository,
    env: { ...process.env, ...env },
    encoding: "utf8",
    timeout: COMMAND_MS,
    maxBuffer: 64 * 1024 * 1024,
  })
  return { code: status, out: stdout, err: stderr }
}
