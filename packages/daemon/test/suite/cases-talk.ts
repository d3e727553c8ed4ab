import { expect } from "vitest"
import { type Case, itemsOf, only, textOf } from "./scene.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)

export const talkCases: Case[] = [
  {
    name: "text is answered with deltas that add up",
    needs: ["textMessages", "streamingDeltas", "itemStarted"],
    async run(scene) {
      const { id } = await scene.session()
      const events = await scene.turn(id, "say", "The quick brown fox")
      expect(textOf(itemsOf(events))).toBe("The quick brown fox")
      expect(only(events, "item.delta").length).toBeGreaterThan(1)
      const [user] = itemsOf(events)
      expect([user?.role, user?.message_id]).toEqual(["user", only(events, "message.updated")[0]?.data.message_id])
      expect(only(events, "turn.ended").map(({ data }) => data.stop_reason)).toEqual(["end_turn"])
    },
  },
  {
    name: "turns follow each other in one session",
    needs: ["textMessages", "sessionLifecycle"],
    async run(scene) {
      const { id } = await scene.session()
      for (const text of ["first", "second", "third"])
        expect(textOf(itemsOf(await scene.turn(id, "say", text)))).toBe(text)
      const { items } = await scene.api.items(id)
      expect(textOf(items)).toBe("firstsecondthird")
      const { status, nativeSessionId } = await scene.api.session(id)
      expect([status, nativeSessionId]).toEqual(["idle", expect.any(String)])
    },
  },
  {
    name: "reasoning is streamed and marked as such",
    needs: ["reasoning"],
    async run(scene) {
      const { id } = await scene.session()
      const events = await scene.turn(id, "think", "Let me see")
      const parts = itemsOf(events).flatMap(({ content }) => content.filter((part) => part.type === "reasoning"))
      expect(parts.map((part) => part.text).join("")).toContain("Let me see")
      expect(only(events, "item.delta").some(({ data }) => data.part.type === "reasoning")).toBe(true)
    },
  },
  {
    name: "an image reaches the agent and stands in the transcript",
    needs: ["images"],
    async run(scene) {
      const { id } = await scene.session()
      const attachments = [{ data: png.toString("base64"), mime: "image/png", filename: "dot.png" }]
      const events = await scene.api.turn(id, await scene.prompt("say", "seen"), { attachments })
      const part = itemsOf(events)[0]?.content.find((found) => found.type === "image")
      const blob = await fetch(`${scene.api.url}/v1/sessions/${id}/blobs/${part?.blob}`, { headers: scene.api.headers })
      expect(Buffer.from(await blob.arrayBuffer()).equals(png)).toBe(true)
      expect(only(events, "turn.ended")[0]?.data.stop_reason).toBe("end_turn")
    },
  },
  {
    name: "an attached file is named in the transcript",
    needs: ["fileAttachments"],
    async run(scene) {
      const { id, directory } = await scene.session()
      await Bun.write(`${directory}/notes.txt`, "some notes")
      const attachments = [{ path: "notes.txt" }]
      const events = await scene.api.turn(id, await scene.prompt("say", "read"), { attachments })
      expect(itemsOf(events)[0]?.content).toContainEqual({
        type: "file_ref",
        path: `${directory}/notes.txt`,
        action: "read",
      })
      expect(only(events, "turn.ended")[0]?.data.stop_reason).toBe("end_turn")
    },
  },
  {
    name: "usage is told as it grows, and with the turn",
    needs: ["usage"],
    async run(scene) {
      const { id } = await scene.session()
      const events = await scene.turn(id, "usage")
      const total = only(events, "usage.updated").at(-1)?.data
      expect(total?.input_tokens).toBeGreaterThan(0)
      expect(only(events, "turn.ended")[0]?.data.usage).toMatchObject({
        input_tokens: total?.input_tokens,
        output_tokens: total?.output_tokens,
      })
      const again = only(await scene.turn(id, "usage"), "usage.updated").at(-1)?.data
      expect(again?.input_tokens).toBeGreaterThan(total?.input_tokens ?? 0)
    },
  },
  {
    name: "an error of the agent ends the turn, not the session",
    needs: ["errorEvents"],
    async run(scene) {
      const { id } = await scene.session()
      const events = await scene.turn(id, "fail", "out of luck")
      const ended = only(events, "turn.ended")[0]?.data
      expect([ended?.stop_reason, ended?.error?.message]).toEqual(["error", expect.stringContaining("out of luck")])
      expect(textOf(itemsOf(await scene.turn(id, "say", "and on")))).toBe("and on")
    },
  },
  {
    name: "notes of the agent's own life are status items with its name",
    needs: ["status"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.turn(id, "note")
      const labels = (await scene.api.items(id)).items.flatMap(({ content }) =>
        content.flatMap((part) => (part.type === "status" ? part.label : [])),
      )
      expect(labels).toContainEqual(expect.stringMatching(new RegExp(`^${scene.agent}\\.`)))
    },
  },
]
