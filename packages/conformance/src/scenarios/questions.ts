import { itemsOf, only, stopOf } from "../events.ts"
import { fits, has, holds, same } from "../expect.ts"
import type { Scenario } from "../scenario.ts"
import { questioned, reached } from "./ask.ts"

export const questions: readonly Scenario[] = [
  {
    name: "a question is answered with one of its choices",
    proves: ["question.single"],
    async run(scene) {
      const { id } = await scene.session()
      const { turn, question } = await questioned(scene, id, await scene.prompt("question"))
      const choice = question.options[1] ?? ""
      holds(question.prompt !== "" && choice !== "", "no prompt or no second choice")
      await scene.api.answer(id, question, [[choice]])
      const events = await turn
      fits(only(events, "question.resolved")[0]?.data, { status: "answered", answers: [[choice]], response: choice })
      has(JSON.stringify(itemsOf(events).slice(1)), choice, "the items")
    },
  },
  {
    name: "several questions are answered at once, with several choices and with free text",
    proves: ["question.several", "question.multi", "question.text"],
    async run(scene) {
      const { id } = await scene.session()
      const { turn, question } = await questioned(scene, id, await scene.prompt("questions"))
      const { questions } = question
      holds(questions.length > 1, "only one question")
      holds(
        questions.some((q) => q.multi_select),
        "none with several choices",
      )
      holds(
        questions.some((q) => q.allow_other || q.type === "text"),
        "none with free text",
      )
      const answers = questions.map((q) => {
        const labels = q.options.map(({ label }) => label)
        if (q.multi_select) return labels.slice(0, 2)
        return q.allow_other || q.type === "text" ? ["in my own words"] : labels.slice(0, 1)
      })
      await scene.api.answer(id, question, answers)
      const said = JSON.stringify(itemsOf(await turn).slice(1))
      for (const given of answers.flat()) has(said, given, "the items")
    },
  },
  {
    name: "a question comes also where no permission is asked",
    proves: ["question.bypass"],
    async run(scene) {
      const { id } = await scene.session({ permissionMode: "bypass" })
      const { turn, question } = await questioned(scene, id, await scene.prompt("question"))
      await scene.api.answer(id, question, [[question.options[0] ?? ""]])
      same(stopOf(await turn), "end_turn")
    },
  },
  {
    name: "a rejected question goes back to the agent, and the model goes on",
    proves: ["question.reject"],
    async run(scene) {
      const { id } = await scene.session()
      const { turn, question } = await questioned(scene, id, await scene.prompt("question"))
      await scene.api.reject(id, question, "ask somebody else")
      const events = await turn
      same(only(events, "question.resolved")[0]?.data.status, "rejected")
      same(stopOf(events), "end_turn")
    },
  },
  {
    name: "the words of a rejected question reach the model",
    proves: ["question.words"],
    means: ["words"],
    async run(scene) {
      const { id } = await scene.session()
      const { turn, question } = await questioned(scene, id, await scene.prompt("question"))
      await scene.api.reject(id, question, "ask somebody else")
      await reached(scene, id, await turn, "ask somebody else")
    },
  },
  {
    name: "an approved plan leaves permission mode plan, a rejected one takes the message back",
    proves: ["approval.approve", "approval.reject"],
    async run(scene) {
      const { id } = await scene.session({ permissionMode: "plan" })
      const rejected = await questioned(scene, id, await scene.prompt("plan"))
      fits(rejected.question, { purpose: "plan_approval", options: ["Approve", "Reject"] })
      await scene.api.reject(id, rejected.question, "more detail")
      has(JSON.stringify(itemsOf(await rejected.turn).slice(1)), "more detail", "the items")
      same((await scene.api.session(id)).permissionMode, "plan")
      const approved = await questioned(scene, id, await scene.prompt("plan"))
      await scene.api.answer(id, approved.question, [["Approve"]])
      const events = await approved.turn
      same((await scene.api.session(id)).permissionMode, "default")
      has(
        only(events, "session.updated").map(({ data }) => data.permission_mode),
        "default",
        "session.updated",
      )
    },
  },
]
