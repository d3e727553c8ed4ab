import type { WaitPart } from "./part.ts"

/** Waits as the part says, or until the signal aborts; a hold whose promise rejects throws. */
export async function waitOut(part: WaitPart, signal: AbortSignal): Promise<void> {
  if (part.type === "delay") return pause(part.ms, signal)
  await untilAborted(signal, part.type === "hold" ? part.until : undefined)
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await untilAborted(signal, passed)
  clearTimeout(timer)
}

async function untilAborted(signal: AbortSignal, other: PromiseLike<unknown> | undefined): Promise<void> {
  if (signal.aborted) return
  let stop = () => {}
  const aborted = new Promise<void>((resolve) => {
    stop = resolve
    signal.addEventListener("abort", stop, { once: true })
  })
  try {
    await (other === undefined ? aborted : Promise.race([aborted, other]))
  } finally {
    signal.removeEventListener("abort", stop)
  }
}
