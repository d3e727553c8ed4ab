import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Session } from "../../src/core/session.ts"

/** A command that leaves its pid and goes on for longer than any test. */
export const lasting = (name: string): string => `echo $$ > ${name}; while true; do echo on; sleep 0.1; done`

export async function pidIn(session: Session, name: string): Promise<number> {
  const file = join(session.record.directory, name)
  while (!existsSync(file) || readFileSync(file, "utf8").trim() === "") await Bun.sleep(10)
  return Number(readFileSync(file, "utf8"))
}
