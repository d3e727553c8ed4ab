import type { Event } from "@sandbox-agent/schema/event"
import type { Scene } from "./scene.ts"

type Ended = Extract<Event, { type: "turn.ended" }>

/** How often it is looked whether another process of the agent lives. */
const LOOK_MS = 20

/**
 * SIGKILL to the agent of a session whose turn runs; the end of that turn, and what was killed. An agent may have other
 * processes that outlive their last session for a moment, and nothing tells whose a process is: all of them go.
 */
export async function killAgent(scene: Scene, id: string, after: number): Promise<{ ended: Ended; killed: number[] }> {
  const killed = new Set<number>()
  let ended: Ended | undefined
  const end = scene.api
    .until(id, "turn.ended", () => true, after)
    .then((event) => {
      ended = event
    })
  while (ended === undefined) {
    const { pid } = (await scene.info()).process
    if (pid !== undefined && !killed.has(pid)) kill(pid)
    if (pid !== undefined) killed.add(pid)
    await Promise.race([end, Bun.sleep(LOOK_MS)])
  }
  return { ended, killed: [...killed] }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    // It ended by itself just now.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}
