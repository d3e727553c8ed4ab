import { boundText } from "./bounds.ts"
import { wholeItem } from "./items.ts"
import type { InstallProgress, OnInstallProgress } from "./programs.ts"
import type { Session } from "./session.ts"

/** Tells in the log of a session how the install of its agent goes: each step, and none of the pieces of one. */
export function installSteps(s: Session): OnInstallProgress {
  let before = ""
  return (progress) => {
    const step = `${progress.phase} ${progress.source}`
    if (step === before) return
    before = step
    installNote(s, stepText(progress))
  }
}

export function installNote(s: Session, detail: string): void {
  const content = [{ type: "status" as const, label: `${s.record.agent}.install`, detail: boundText(detail) }]
  wholeItem(s, { kind: "status", late: true, content }, "completed", "daemon")
}

function stepText({ phase, source, message, total }: InstallProgress): string {
  const size = total === undefined ? undefined : `${(total / 1024 / 1024).toFixed(1)} MiB`
  const about = [message, size].filter((word) => word !== undefined && word !== "").join(", ")
  return `${phase}${source === undefined ? "" : ` (${source})`}${about === "" ? "" : `: ${about}`}`
}
