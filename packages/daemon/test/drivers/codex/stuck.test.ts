import { hang, reply, text } from "@sandbox-agent/scripted-model/script"
import { describe, expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import type { Session } from "../../../src/core/session.ts"
import { gone, halt } from "../../supervisor/processes.ts"
import { type Live, startLive } from "./live.ts"

const bypass = { permissionMode: "bypass" } as const

/** A session whose turn runs on a server that stands still, and is cancelled by force. */
async function cancelledByForce(live: Live): Promise<Session> {
  const session = await live.open(["ONE", reply(text(["half ", hang()]))], bypass)
  await live.run("first", session)
  await live.post("second", {}, session)
  await live.until("item.delta", ({ data }) => data.delta === "half ", session)
  await halt(live.servers[0] ?? Number.NaN)
  await live.waiting({ interruptMs: 300 }, () => cancelTurn(session, {}))
  await live.until("turn.ended", ({ data }) => data.forced === true, session)
  live.script(session, ["THREE"])
  return session
}

describe("a server that does not answer", { timeout: 180_000 }, () => {
  test("is left by whoever is idle, and all threads go on in another", async () => {
    await using live = await startLive()
    const idle = await live.open(["TWO"], bypass)
    await live.run("first", idle)
    const [pid = 0] = live.servers
    const stuck = await cancelledByForce(live)
    expect(await live.run("third", stuck)).toMatchObject({ stop_reason: "end_turn" })
    await gone(pid)
    live.script(idle, ["FOUR"])
    expect(await live.run("second", idle)).toMatchObject({ stop_reason: "end_turn" })
    expect(JSON.stringify(live.requests(stuck).at(-1)?.body)).toContain("ONE")
    expect(JSON.stringify(live.requests(idle).at(-1)?.body)).toContain("TWO")
    expect(live.servers.length).toBe(1)
    // It was asked to leave; that is no failure of its own.
    expect(live.core.context.agentStats.get("codex")?.restarts ?? 0).toBe(0)
    expect(live.wrongs()).toEqual([])
  })

  test("is ended under whoever still waits for it", async () => {
    await using live = await startLive()
    const busy = await live.open([reply(text(["half ", hang()]))], bypass)
    const turn = live.run("first", busy)
    await live.until("item.delta", () => true, busy)
    const stuck = await cancelledByForce(live)
    expect(await live.run("third", stuck)).toMatchObject({ stop_reason: "end_turn" })
    expect(await turn).toMatchObject({ stop_reason: "error", error: { code: "agent_process_exited" } })
    live.script(busy, ["and on"])
    expect(await live.run("second", busy)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })
})
