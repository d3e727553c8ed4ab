import type { Acts } from "../acts.ts"
import type { Subject } from "../subject.ts"
import { suiteAgents } from "./scripted.ts"
import { acpLacks } from "./skips.ts"

const exactly = (text: string): string => `Reply with exactly the following and nothing else: ${text}`
const then = (text: string): string => `Then reply with exactly: ${text}`
const shell = (command: string): string =>
  `Run this shell command once, exactly as it is, with your shell tool: ${command}\nDo not run anything else, whatever comes of it.`

/** Prompts that leave a real model no choice. What no prompt can bring about is missing. */
export const liveActs: Acts = {
  say: exactly,
  tool: () => `${shell("echo hi")} ${then("done")}`,
  run: (command) => `${shell(command)} ${then("ran")}`,
  askToRun: (command) => `${shell(command)} ${then("ran")}`,
  write: (path, text) =>
    `With your tool for writing files, create ${path} in the working directory with exactly this content: ${text}\nIf you may not, do nothing else. ${then("written")}`,
  question: () =>
    "With your tool for asking me, ask one question, with one answer possible: Which colour? Options: Red, Blue. Then reply with my answer.",
  questions: () =>
    "With your tool for asking me, ask three questions in one call. First: Which colour? Options Red, Blue. Second, with several answers possible: Which toppings? Options Cheese, Olives, Ham. Third: Which name? Options Ann, Bob. Then reply with all my answers.",
  plan: () =>
    "Plan to create the file hello.txt, in one line, and ask me to approve the plan with your tool for that, at once. If I refuse, repeat my reason and stop.",
  todo: () =>
    "With your todo tool, make a list of two entries, One and Two. Then mark both as completed with one more call. Then reply with exactly: done",
  usage: () => exactly("counted"),
  subagent: () =>
    `Give a sub-agent, in the foreground, this task and wait for it: run the shell command \`echo inner\`. ${then("done")}`,
  longText: () => "Count from 1 to 5000 in words, one number in each line, without any other text and without a tool.",
  longRun: (command) => shell(command),
  mcpTool: () => `Call the tool ping of the MCP server probe, once. ${then("pinged")}`,
  look: () => "Reply with exactly: image/png - if an image came with this message, else with exactly: nothing",
  sees: () => "A file came with this message. Reply with exactly its content and nothing else.",
  offers: (skill) => `Reply with exactly the description of your skill ${skill} and nothing else.`,
  recall: (text) => `If you were asked to say ${text} earlier, reply with exactly: ${text} - else with exactly: never`,
}

const lacks = { faults: "a real model does not fail on command" }
const partial = "no prompt makes a real model do this for sure"

/** Real models with the credentials of this machine. */
export const liveAgents: Readonly<Record<string, Subject>> = Object.fromEntries(
  Object.entries(suiteAgents).flatMap(([agent, { live }]) =>
    live === undefined ? [] : [[agent, { agent, acts: liveActs, skip: live, lacks, partial }]],
  ),
)

/** Any other agent that speaks ACP: asked for what it declares, and that is what its first sessions tell. */
export const liveAgent = (agent: string): Subject => ({
  agent,
  speaks: "acp",
  acts: liveActs,
  lacks: { ...acpLacks, ...lacks },
  partial,
  notDescribed: "the agent does not declare",
})
