import { readdirSync } from "node:fs"
import { join } from "node:path"
import { always } from "@sandbox-agent/scripted-model/step"
import { testDamaged } from "../damaged.ts"
import { startLive } from "./live.ts"

testDamaged("codex", async () => {
  const live = await startLive()
  live.model.script([always("ANSWER-MORE")])
  const session = await live.open(["ANSWER-ONE", "ANSWER-TWO"], { permissionMode: "bypass" })
  await live.run("ASK-ONE", session)
  await live.run("ASK-TWO", session)
  const folder = join(live.home, "sessions")
  return {
    live,
    session,
    file: async () => {
      const name = readdirSync(folder, { recursive: true }).find((one) => String(one).endsWith(".jsonl"))
      return name === undefined ? undefined : join(folder, String(name))
    },
    kill: () => void process.kill(live.servers[0] ?? Number.NaN, "SIGKILL"),
    given: () => JSON.stringify(live.model.requests.at(-1)?.body),
    script: (of, answer) => live.script(of, [answer]),
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  }
})
