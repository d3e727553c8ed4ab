import { expect, test } from "vitest"
import { recordedUntil } from "./replay.ts"

test("what OpenCode asks and nobody can read is refused, and the log says so", async () => {
  await using stage = await recordedUntil("text", ({ event }) => JSON.stringify(event ?? "").includes("busy"))
  const sessionID = stage.session.record.native.id
  const ask = (type: string, more: object) =>
    stage.server.say({ payload: { type, properties: { sessionID, metadata: {}, patterns: [], always: [], ...more } } })
  ask("permission.asked", { id: "per_rules", permission: "bash", always: undefined })
  ask("permission.asked", { id: "per_name", permission: 5 })
  ask("question.asked", { id: "que_none" })
  ask("question.asked", { id: "que_prompt", questions: [{ question: 5, header: "h", options: [] }] })
  await expect
    .poll(() => stage.server.replies.map(({ path }) => path).toSorted())
    .toEqual([
      "/permission/per_name/reply",
      "/permission/per_rules/reply",
      "/question/que_none/reject",
      "/question/que_prompt/reject",
    ])
  for (const { path, body } of stage.server.replies)
    if (path.startsWith("/permission")) expect(body).toMatchObject({ reply: "reject" })
  expect(stage.of("agent.unparsed")).toHaveLength(4)
  expect([stage.of("permission.requested"), stage.of("question.requested")]).toEqual([[], []])
})
