import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "@sandbox-agent/schema/event"
import type { Permission, Question } from "@sandbox-agent/schema/request"
import { expect } from "vitest"
import { type Case, itemsOf, only, type Scene } from "./scene.ts"

const decisions = (events: readonly Event[]) =>
  only(events, "permission.resolved").map(({ data }) => [data.status, data.by])

/** Sends a message and waits until the agent asks. */
async function asked(
  scene: Scene,
  id: string,
  message: string,
): Promise<{ turn: Promise<Event[]>; permission: Permission }> {
  const { lastSequence } = await scene.api.session(id)
  const turn = scene.api.turn(id, message)
  const { data } = await scene.api.until(id, "permission.requested", () => true, lastSequence)
  expect((await scene.api.session(id)).status).toBe("waiting")
  return { turn, permission: data }
}

async function questioned(
  scene: Scene,
  id: string,
  message: string,
): Promise<{ turn: Promise<Event[]>; question: Question }> {
  const { lastSequence } = await scene.api.session(id)
  const turn = scene.api.turn(id, message)
  const { data } = await scene.api.until(id, "question.requested", () => true, lastSequence)
  return { turn, question: data }
}

const reply = (scene: Scene, id: string, permission: Permission, body: object) =>
  scene.api.ok("POST", `/v1/sessions/${id}/permissions/${permission.permission_id}/reply`, body)
const answer = (scene: Scene, id: string, question: Question, verb: string, body: object) =>
  scene.api.ok("POST", `/v1/sessions/${id}/questions/${question.question_id}/${verb}`, body)

/** A command whose running can be seen. */
const touch = (directory: string, name: string) => ({
  command: `touch ${name}`,
  done: () => existsSync(join(directory, name)),
})

export const requestCases: Case[] = [
  {
    name: "a permission given once lets the command run once",
    needs: ["permissions"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const { command, done } = touch(directory, "once")
      for (const _ of [1, 2]) {
        const { turn, permission } = await asked(scene, id, await scene.prompt("askToRun", command))
        expect([permission.kind, permission.detail?.command]).toEqual([
          "command",
          expect.stringContaining("touch once"),
        ])
        await reply(scene, id, permission, { reply: "once" })
        expect(decisions(await turn)).toEqual([["accept", "client"]])
      }
      expect(done()).toBe(true)
    },
  },
  {
    name: "a permission given always is not asked again in this session, and only in this one",
    needs: ["permissions"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const { command } = touch(directory, "always")
      const first = await asked(scene, id, await scene.prompt("askToRun", command))
      await reply(scene, id, first.permission, { reply: "always" })
      expect(decisions(await first.turn)).toEqual([["accept_for_session", "client"]])
      expect(decisions(await scene.turn(id, "askToRun", command))).toEqual([["accept", "rule"]])
      const other = await scene.session()
      const second = await asked(scene, other.id, await scene.prompt("askToRun", command))
      await reply(scene, other.id, second.permission, { reply: "reject" })
      await second.turn
    },
  },
  {
    name: "a rejected permission refuses the tool with the message, and the model goes on",
    needs: ["permissions"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const { command, done } = touch(directory, "rejected")
      const { turn, permission } = await asked(scene, id, await scene.prompt("askToRun", command))
      await reply(scene, id, permission, { reply: "reject", message: "not in my house" })
      const events = await turn
      expect([done(), decisions(events)]).toEqual([false, [["reject", "client"]]])
      expect(JSON.stringify(itemsOf(events))).toContain("not in my house")
      expect(only(events, "turn.ended")[0]?.data.stop_reason).toBe("end_turn")
    },
  },
  {
    name: "permission mode bypass never asks",
    needs: ["permissions"],
    async run(scene) {
      const { id, directory } = await scene.session({ permissionMode: "bypass" })
      const { command, done } = touch(directory, "bypassed")
      const events = await scene.turn(id, "askToRun", command)
      expect([done(), decisions(events).filter(([, by]) => by === "client")]).toEqual([true, []])
    },
  },
  {
    name: "permission mode acceptEdits lets files be written and asks for the rest",
    needs: ["permissions", "fileChanges"],
    async run(scene) {
      const { id, directory } = await scene.session({ permissionMode: "acceptEdits" })
      await scene.turn(id, "write", "edited.txt", "hello")
      expect(existsSync(join(directory, "edited.txt"))).toBe(true)
      const { command, done } = touch(directory, "asked")
      const { turn, permission } = await asked(scene, id, await scene.prompt("askToRun", command))
      await reply(scene, id, permission, { reply: "reject" })
      await turn
      expect(done()).toBe(false)
    },
  },
  {
    name: "permission mode plan cannot write",
    needs: ["permissions", "fileChanges"],
    async run(scene) {
      const { id, directory } = await scene.session({ permissionMode: "plan" })
      const events = await scene.turn(id, "write", "planned.txt", "hello")
      expect(existsSync(join(directory, "planned.txt"))).toBe(false)
      expect(only(events, "turn.ended")[0]?.data.stop_reason).toBe("end_turn")
      expect(decisions(events).filter(([, by]) => by === "client")).toEqual([])
    },
  },
  {
    name: "a question is answered with one of its choices",
    needs: ["questions"],
    async run(scene) {
      const { id } = await scene.session()
      const { turn, question } = await questioned(scene, id, await scene.prompt("question"))
      const choice = question.options[1] ?? ""
      expect([question.prompt, choice]).toEqual([expect.any(String), expect.stringMatching(/./)])
      await answer(scene, id, question, "reply", { answers: [[choice]] })
      const events = await turn
      expect(only(events, "question.resolved")[0]?.data).toMatchObject({
        status: "answered",
        answers: [[choice]],
        response: choice,
      })
      expect(JSON.stringify(itemsOf(events).slice(1))).toContain(choice)
    },
  },
  {
    name: "several questions are answered at once, with several choices and with free text",
    needs: ["questions"],
    async run(scene) {
      const { id } = await scene.session()
      const { turn, question } = await questioned(scene, id, await scene.prompt("questions"))
      const { questions } = question
      expect([
        questions.length > 1,
        questions.some((q) => q.multi_select),
        questions.some((q) => q.allow_other || q.type === "text"),
      ]).toEqual([true, true, true])
      const answers = questions.map((q) => {
        const labels = q.options.map(({ label }) => label)
        if (q.multi_select) return labels.slice(0, 2)
        return q.allow_other || q.type === "text" ? ["in my own words"] : labels.slice(0, 1)
      })
      await answer(scene, id, question, "reply", { answers })
      const said = JSON.stringify(itemsOf(await turn).slice(1))
      for (const given of answers.flat()) expect(said).toContain(given)
    },
  },
  {
    name: "a rejected question goes back to the agent, and the model goes on",
    needs: ["questions"],
    async run(scene) {
      const { id } = await scene.session()
      const { turn, question } = await questioned(scene, id, await scene.prompt("question"))
      await answer(scene, id, question, "reject", { message: "ask somebody else" })
      const events = await turn
      expect(only(events, "question.resolved")[0]?.data.status).toBe("rejected")
      expect(only(events, "turn.ended")[0]?.data.stop_reason).toBe("end_turn")
    },
  },
  {
    name: "an approved plan leaves permission mode plan, a rejected one takes the message back",
    needs: ["planMode"],
    async run(scene) {
      const { id } = await scene.session({ permissionMode: "plan" })
      const rejected = await questioned(scene, id, await scene.prompt("plan"))
      expect([rejected.question.purpose, rejected.question.options]).toEqual(["plan_approval", ["Approve", "Reject"]])
      await answer(scene, id, rejected.question, "reject", { message: "more detail" })
      expect(JSON.stringify(itemsOf(await rejected.turn).slice(1))).toContain("more detail")
      expect((await scene.api.session(id)).permissionMode).toBe("plan")
      const approved = await questioned(scene, id, await scene.prompt("plan"))
      await answer(scene, id, approved.question, "reply", { answers: [["Approve"]] })
      const events = await approved.turn
      expect((await scene.api.session(id)).permissionMode).toBe("default")
      expect(only(events, "session.updated").some(({ data }) => data.permission_mode === "default")).toBe(true)
    },
  },
]
