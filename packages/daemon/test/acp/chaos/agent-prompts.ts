import { type PromptKind, promptText } from "../../chaos/prompts.ts"
import type { AgentPrompts } from "./chaos-worker.ts"

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T

const talk = ["/stream 40", "/flood 20 400", "/think about it", '/tool Look {"at":1}', "/subagent", "/todo"]

/** Turns of text, thinking and tools in any order, with two permissions and a question among them. */
export const mockPrompts: AgentPrompts = {
  agent: "mock",
  hello: "hello",
  prompts: (random) =>
    [1, 2].map(() => {
      const any = () => pick(talk, random)
      const question = pick(["/question", "/questions"], random)
      return [any(), "/permission echo one", any(), question, any(), "/permission echo two", "the end"].join("\n")
    }),
}

const prompt = (name: PromptKind): string => promptText(name, "chaos")

/** The same in the words of a scripted model: what is asked for is one thing per turn. */
export const claudePlay: AgentPrompts = {
  agent: "claude",
  hello: prompt("say"),
  prompts: (random) => [prompt("ask"), pick([prompt("whole"), prompt("ask")], random), prompt("question")],
}
