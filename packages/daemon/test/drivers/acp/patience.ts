import { join } from "node:path"
import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import type { AcpTraits } from "@sandbox-agent/schema/registry"
import { describe, expect } from "vitest"
import { closeProcess } from "../../../src/core/process.ts"
import { LinesClient, program, startWith } from "../../acp/lines.ts"
import { scratch } from "../../harness/daemon.ts"
import { gone } from "../../supervisor/processes.ts"
import { AddedStage } from "./added.ts"
import { startForgetful } from "./forgetful.ts"
import { Moded } from "./moded.ts"
import { overfill } from "./overfill.ts"
import { PuppetStage, say } from "./puppet-stage.ts"

overfill(
  ["unknownSessionMs"],
  "an agent that takes longer to say that it does not know the session has had the message, and the next one works",
  async () => {
    await using stage = await startForgetful("late", String(acpAgentLimits.unknownSessionMs + 1_000))
    await stage.run("the word is papaya")
    await closeProcess(stage.session)
    expect(await stage.run("lost")).toMatchObject({ stop_reason: "error" })
    expect(await stage.run("what was it")).toMatchObject({ stop_reason: "end_turn" })
    expect(stage.transcript().at(-1)).toContain("the word is papaya")
    expect(stage.wrongs()).toEqual([])
  },
)

overfill(
  ["sessionCloseMs"],
  "a session deleted in a turn that will not end takes the shared process with it",
  async () => {
    // The core itself would wait longer.
    await using stage = new AddedStage("directory", scratch(), { patience: { closeMs: 600_000 } })
    const [one, two] = [await stage.create("one"), await stage.create("two")]
    for (const s of [one, two]) await stage.run("say before", s)
    const { pid } = stage
    await stage.post("deaf", {}, one)
    await stage.until("item.delta", ({ data }) => data.delta === "word ", one)
    await stage.core.sessions.delete(one)
    await gone(pid)
    expect(await stage.run("say after", two)).toMatchObject({ stop_reason: "end_turn" })
  },
)

overfill(
  ["lateMessageMs"],
  "a message outside a turn is whole after some quiet, though nothing follows it",
  async () => {
    await using stage = new PuppetStage()
    await stage.open()
    await stage.play(say("in the turn"), { late: [say("some "), say("time "), say("later")] })
    const { data } = await stage.until("item.completed", ({ data }) => data.item.late === true)
    expect(data.item).toMatchObject({ status: "completed", content: [{ type: "text", text: "some time later" }] })
    await stage.play(say("and on"))
    expect(stage.transcript().filter((line) => line.startsWith("assistant"))).toEqual(
      ["in the turn", "some time later", "and on"].map((text) => `assistant: ${text}`),
    )
    expect(stage.wrongs()).toEqual([])
  },
)

overfill(
  ["passedOnMs"],
  "a request that no client answers is refused in the end, and the turn goes on",
  async () => {
    const file = join(scratch(), "lines")
    await using impatient = await startWith("lines", program("lines-agent.ts", file), {
      intervals: { passedOnMs: 200 },
    })
    const client = await LinesClient.connect(impatient, file, {})
    await client.begin()
    expect((await client.prompt("extension")).result).toMatchObject({ stopReason: "end_turn" })
    await client.until(() => client.updates("agent_message_chunk").length >= 1)
    expect(client.messages.filter(({ method }) => method === "_vendor/ask")).toHaveLength(1)
    const [said] = client.updates("agent_message_chunk").map(({ content }) => (content as { text: string }).text)
    expect(JSON.parse(said ?? "")).toMatchObject({ id: 9, error: { code: -32601 } })
  },
  { timeout: 120_000 },
)

describe.each([
  ["nobody has described", {}],
  ["is described", { modes: { ask: "code", hidden: ["yolo"], agent: ["architect"] } }],
] as const)("an agent that %s and moves by itself", (_, traits) => {
  overfill(
    ["modeRestores"],
    "into a mode in which it asks less, and will not stay out of it, does nothing more in that turn",
    async () => {
      await using stage = new Moded(traits as AcpTraits)
      await stage.open()
      const turn = await stage.run("insist yolo")
      expect(turn.stop_reason).toBe("cancelled")
      expect(stage.notes().length).toBe(acpAgentLimits.modeRestores + 1)
      expect(stage.of("error").map(({ data }) => data.code)).toEqual(["mode_not_supported"])
    },
  )
})
