import { always } from "@sandbox-agent/scripted-model/step"
import { findSession } from "../../../src/drivers/pi/home.ts"
import { testDamaged } from "../damaged.ts"
import { startLive } from "./live.ts"

testDamaged("pi", async () => {
  const live = await startLive(["ANSWER-ONE", "ANSWER-TWO", always("ANSWER-MORE")])
  await live.run("ASK-ONE")
  await live.run("ASK-TWO")
  const { session } = live
  return {
    live,
    session,
    writesAnew: true,
    file: () => findSession(`${live.agentFolder}/sessions`, session.record.native.id ?? ""),
    kill: () => session.native?.kill(),
    given: () => live.given(),
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  }
})
