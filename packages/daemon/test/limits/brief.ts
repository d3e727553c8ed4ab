import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { shortened, whole } from "../../src/core/brief-turns.ts"
import { briefFor } from "../../src/core/past.ts"
import { closeProcess } from "../../src/core/process.ts"
import { replyPermission } from "../../src/core/replies.ts"
import { forgetful, rebuilt, turn } from "../core/conversation.ts"
import type { Opening } from "../core/puppet.ts"
import { setStage } from "../core/stage.ts"
import { overfill } from "./overfill.ts"

/** What an agent is given of a session that it does not remember. */
overfill(
  ["resumeTries"],
  "an agent that dies so often of resuming begins anew, one that dies in any case does not",
  async () => {
    let dies: "never" | "resuming" | "always" = "never"
    const open = async ({ options }: Opening) => {
      if (dies === "always" || (dies === "resuming" && options.from.kind === "resume"))
        throw new SandboxAgentError("agent_process_exited", "a line it cannot read")
    }
    await using stage = await setStage({ behaviour: { open } })
    const fails = async (n: number) => {
      await stage.post("again")
      await stage.until("turn.ended", () => stage.of("turn.ended").length === n)
    }
    await turn(stage, "one", "1")
    await closeProcess(stage.session)
    dies = "always"
    for (let n = 0; n < limits.resumeTries; n++) await fails(2 + n)
    expect(stage.session.record.native.id).toBe("native-one")
    dies = "never"
    await turn(stage, "two", "2")
    expect(rebuilt(stage)).toEqual([])
    await closeProcess(stage.session)
    dies = "resuming"
    const ended = stage.of("turn.ended").length
    for (let n = 1; n < limits.resumeTries; n++) await fails(ended + n)
    expect((await turn(stage, "three", "3")).brief).toContain("two")
    expect(rebuilt(stage).map(({ reason }) => reason)).toEqual([
      "it does not survive going on with it: a line it cannot read",
    ])
  },
)

overfill(["briefDecisions", "briefDecisionChars"], "a brief has the last so many, none longer", async () => {
  await using stage = await setStage({ behaviour: forgetful() })
  await stage.running("ask me")
  const count = limits.briefDecisions + 10
  for (let n = 0; n < count; n++) {
    const action = `command ${n}. ${"x".repeat(n === count - 1 ? 10 * limits.briefDecisionChars : 1)}`
    stage.say(() =>
      stage.sink.ask({ key: `p${n}`, type: "permission", kind: "command", action, covers: [], always: [] }),
    )
    await replyPermission(stage.session, [...stage.session.requests.keys()][0] ?? "", "once")
  }
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  const lines = briefFor(stage.session).match(/^- Allowed: command .*$/gm) ?? []
  expect(lines).toHaveLength(limits.briefDecisions)
  expect(lines[0]).toContain("command 10.")
  expect(lines.at(-1)?.length).toBeLessThan(limits.briefDecisionChars + 100)
})

overfill(["briefBytes"], "a brief of a longer session is no larger, and has its end", async () => {
  await using stage = await setStage({ behaviour: forgetful() })
  const answer = "x".repeat(limits.briefBytes / 4)
  for (let n = 0; n < 6; n++) await turn(stage, `question ${n}.`, `${answer} answer ${n}.`)
  const brief = briefFor(stage.session)
  expect(Buffer.byteLength(brief)).toBeLessThanOrEqual(limits.briefBytes)
  expect(Buffer.byteLength(brief)).toBeGreaterThan(limits.briefBytes / 2)
  expect([brief.includes("answer 5."), brief.includes(`${answer} answer 0.`)]).toEqual([true, false])
})

overfill(
  ["briefShortChars", "briefToolChars"],
  "words of earlier turns, and what tools gave, are cut in the middle",
  () => {
    const item = (kind: Item["kind"], role: Item["role"], content: Item["content"]): Item => ({
      ...{ item_id: "i", kind, role, status: "completed", content },
    })
    const words = (length: number): Item["content"] => [{ type: "text", text: "x".repeat(length) }]
    const message = (length: number) => [item("message", "user", words(length))]
    expect(shortened(message(limits.briefShortChars))).not.toContain("cut")
    expect(shortened(message(limits.briefShortChars + 1))).toContain("1 of")
    const result = (length: number): Item[] => [
      item("tool_result", "tool", [{ type: "tool_result", call_id: "c", output: "x".repeat(length) }]),
    ]
    expect(whole(result(limits.briefToolChars))).not.toContain("cut")
    expect(whole(result(limits.briefToolChars + 1))).toContain("1 of")
  },
)
