import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { Part } from "@sandbox-agent/scripted-model/part"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { cut, error, reply, text, thinking, words } from "@sandbox-agent/scripted-model/script"
import { type Matcher, optional, type ScriptItem, times, when } from "@sandbox-agent/scripted-model/step"
import type { Acts } from "../acts.ts"

/** More than any agent tries. */
export const everyTry = 20

/** Chunks that come for so long. */
export const flow = (ms: number): Part =>
  text(
    Array.from({ length: ms / 50 }, (_, i) => `word${i} `),
    { delayMs: 50 },
  )

/** Longer than any scenario takes. */
export const endless = flow(600_000)

export type Act = (...steps: ScriptItem[]) => string

/** Marks messages, so that each has the answers that are meant for it. `saidIn`: the conversation in a request. */
export class Marks {
  #count = 0

  constructor(
    private readonly model: ScriptedModel,
    readonly saidIn: (request: ModelRequest) => string,
  ) {}

  /** Of the next act, for a message that is part of it. */
  get next(): string {
    return `[act-${this.#count + 1}]`
  }

  /** The steps answer the conversation whose last message this is: sessions, forks and sub-agents do not mix. */
  act: Act = (...steps) => {
    const mark = this.next
    this.#count++
    const last: Matcher = (request) =>
      this.saidIn(request)
        .match(/\[act-\d+\]/g)
        ?.at(-1) === mark
    this.model.script(steps.map((step) => optional(when(last, step))))
    return `${mark} please`
  }
}

/** Acts that need no tool: what they ask of the model is the same whoever asks it. */
export const modelActs = ({ act, saidIn }: Marks) =>
  ({
    say: (said) => act(reply(text(words(said)))),
    think: (thought) => act(reply(thinking(words(thought)), "done")),
    usage: () => act("counted"),
    longText: () => act(reply(endless)),
    fail: (message) => act(times(everyTry, error(400, message))),
    look: () => act(seenTypes),
    recall: (said) => act((request) => (saidIn(request).includes(said) ? said : "forgotten")),
    sees: (texts) => act(({ body }) => texts.find((one) => JSON.stringify(body).includes(one)) ?? "nothing"),
    offers: (_, description) =>
      act(({ body }) => (JSON.stringify(body).includes(description) ? description : "nothing")),
    whichModel: () => act(({ model: asked }) => asked),
    unauthorized: () => act(times(everyTry, error(401, "invalid api key"))),
    overloaded: (said) => act(error(429, "slow down", { retryAfter: 1 }), said),
    cut: (said) => act(reply(text("half of", { open: true }), cut()), said),
  }) satisfies Acts

/** Says the effort the model was asked for; only for agents that have variants. */
export const variantAct = ({ act }: Marks) => ({ whichVariant: () => act(({ effort }) => effort ?? "none") })

/** Says the mode: `plan` where what the model is told has these words, which agents add to a conversation once. */
export const modeAct = ({ act }: Marks, planning: RegExp) => ({
  whichMode: () => act(({ body }) => (planning.test(JSON.stringify(body)) ? "plan" : "build")),
})

const seenTypes = ({ messages }: ModelRequest): string =>
  messages.flatMap(({ images }) => images.map(({ mediaType }) => mediaType)).join(", ") || "nothing"

const asking = (question: string, header: string, several: boolean, ...labels: string[]) => ({
  question,
  header,
  several,
  options: labels.map((label) => ({ label, description: label })),
})

/** What the suite has asked: with choices, with several choices, with words of one's own. Each agent has its own names for it. */
export const colour = asking("Which colour?", "Colour", false, "Red", "Blue")
export const toppings = asking("Which toppings?", "Toppings", true, "Cheese", "Olives", "Ham")
export const naming = asking("Which name?", "Name", false, "Ann", "Bob")

export type Asked = typeof colour
