import { always } from "@sandbox-agent/scripted-model/step"
import { sessionFile } from "../../../src/drivers/claude/home.ts"
import { testDamaged } from "../damaged.ts"
import { startLive } from "./live.ts"

testDamaged("claude", async () => {
  const live = await startLive(["ANSWER-ONE", "ANSWER-TWO", always("ANSWER-MORE")])
  await live.run("ASK-ONE")
  await live.run("ASK-TWO")
  const { session } = live
  return {
    live,
    session,
    writesAnew: true,
    file: () => sessionFile(session.record.native.home, session.record.native.id ?? ""),
    kill: () => session.native?.kill(),
    given: () => JSON.stringify(live.model.requests.at(-1)?.body),
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  }
})
