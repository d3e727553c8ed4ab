import { sessionFile } from "../../src/drivers/claude/home.ts"
import { mkdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { test } from "vitest"
import { claudeBinary, newest } from "../drivers/claude/binary.ts"
import { seeded } from "../durability/survivor.ts"
import { startDaemon } from "../harness/daemon.ts"
import { Lane } from "./claude-lane.ts"
import { wishes } from "./claude-model.ts"
test("probe", { timeout: 600_000 }, async () => {
  const model = await startScriptedModel({ script: [wishes] })
  await using daemon = await startDaemon({ env: { PATH: [dirname(claudeBinary(newest)), process.env.PATH].join(delimiter) } })
  const home = join(daemon.dataDir, "home")
  mkdirSync(home)
  const tally: Record<string, number> = {}
  const run = async (n: number) => {
    const lane = new Lane(daemon, model, `p-${n}`, seeded(n))
    await lane.create(home)
    const { pid } = await lane.agent()
    const before = (await lane.api.session(lane.id)).nativeSessionId
    const { messageId, message } = await lane.post("text", 5)
    const kind = "mid-text, on disk"
    await lane.until("item.delta", ({ data }) => data.delta.includes("word5"))
    const t0 = performance.now()
    while (!(sessionFile(join(home, ".claude"), before ?? "") && readFileSync(sessionFile(join(home, ".claude"), before ?? "") ?? "", "utf8").includes(message))) await Bun.sleep(5)
    console.log("on disk after", performance.now() - t0)
    process.kill(pid, "SIGKILL")
    await lane.ended(messageId)
    await lane.processLost()
    const next = await lane.post("say")
    const end = await lane.ended(next.messageId)
    const after = (await lane.api.session(lane.id)).nativeSessionId
    const third = await lane.post("say")
    const end3 = await lane.ended(third.messageId)
    const key = `${kind}: ${end.stop_reason} ${end.error?.code ?? ""} ${end.error?.message ?? ""} same=${before === after}; then ${end3.stop_reason} ${end3.error?.code ?? ""}`.replace(/[0-9a-f-]{36}/g, "ID")
    tally[key] = (tally[key] ?? 0) + 1
    console.log(JSON.stringify(model.requests.at(-1)?.body.messages).includes("[[text"))
    await daemon.api.ok("POST", `/v1/sessions/${lane.id}/terminate`, {})
  }
  for (let n = 0; n < 4; n += 2) await Promise.all([run(n), run(n + 1)])
  console.log(tally)
  await model.close()
})
