import type { ManagedProcess } from "./process.ts"

/** A process as clients see it. */
export function viewOf(process: ManagedProcess) {
  const { logBytes: _, firstSequence: __, lastSequence: ___, ...shown } = process.record
  return {
    ...shown,
    owner: "user" as const,
    status: process.running ? ("running" as const) : ("exited" as const),
    pid: process.running ? process.program?.pid : undefined,
    ports: process.ports,
    ...(process.terminal && {
      ...process.terminal.size,
      title: process.terminal.title || undefined,
      viewers: process.terminal.viewers,
    }),
    ...process.sequences,
  }
}

/** Over when it has ended, the time is over, or nobody waits any more. */
export async function endWithin(process: ManagedProcess, ms: number, signal: AbortSignal): Promise<void> {
  if (!process.running || ms === 0) return
  let timer: Timer | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
  await Promise.race([process.ended, late])
  clearTimeout(timer)
}
