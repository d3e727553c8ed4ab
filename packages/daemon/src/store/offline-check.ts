import { existsSync } from "node:fs"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { checkStore, type StoreReport } from "./check.ts"
import { lockDirectory } from "./lock.ts"
import { databasePath, openError } from "./open-error.ts"
import { redoPath } from "./redo.ts"
import { type Repaired, repairNow, repairText } from "./repair.ts"

/** What a store is like without a daemon, and what was done about it. */
export interface OfflineCheck {
  before: StoreReport
  /** The same where nothing was repaired. */
  after: StoreReport
  /** The file that has what is not in the database yet. */
  redo: string
  sound: boolean
  repaired?: Repaired & { text: string }
  /** It was to be repaired, and nothing of it can be saved. */
  hopeless: boolean
}

/** With `repair` nobody else may use the store; where SQLite's own file is damaged a new one is made of what can be read. */
export function offlineCheck(directory: string, repair: boolean): OfflineCheck {
  const path = databasePath(directory)
  if (!existsSync(path))
    throw new SandboxAgentError("not_found", `there is no store in ${directory}`, { hint: "name another --data-dir" })
  let unlock: (() => void) | undefined
  try {
    unlock = repair ? lockDirectory(directory) : undefined
    const before = checkStore(path)
    const due = repair && before.structure.length > 0
    const repaired = due ? repairNow(path) : undefined
    const after = repaired === undefined ? before : checkStore(path)
    const sound = after.structure.length === 0 && after.findings.length === 0
    const report = repaired && { repaired: { ...repaired, text: repairText(repaired) } }
    return { before, after, redo: redoPath(directory), sound, hopeless: due && repaired === undefined, ...report }
  } catch (error) {
    throw openError(error, directory)
  } finally {
    unlock?.()
  }
}
