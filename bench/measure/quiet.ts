import { cpus } from "node:os"

/** Share of the machine that others use, over half a second; the bench itself does nothing meanwhile. */
export async function busyShare(): Promise<number> {
  const before = times()
  await Bun.sleep(500)
  const after = times()
  return 1 - (after.idle - before.idle) / (after.all - before.all)
}

/** Gives a busy machine a while to become quiet, and tells how busy it still is. */
export async function waitForQuiet(atMostMs: number): Promise<number> {
  const begin = performance.now()
  let busy = await busyShare()
  while (busy > 0.1 && performance.now() - begin < atMostMs) busy = await busyShare()
  return busy
}

function times(): { idle: number; all: number } {
  let idle = 0
  let all = 0
  for (const { times: t } of cpus()) {
    idle += t.idle
    all += t.user + t.nice + t.sys + t.irq + t.idle
  }
  return { idle, all }
}
