import { writeSync } from "node:fs"
import { TurnFailed } from "../turn.ts"
import { type Command, required, split, wholeNumber } from "./command.ts"

export const error: Command = {
  hint: "TEXT",
  description: "Ends the turn with an error",
  run(text) {
    throw new TurnFailed(required(text, "TEXT"))
  },
}

export const garbage: Command = {
  hint: "",
  description: "Writes a line that is not JSON",
  run: (_, turn) => turn.agent.out.raw("This is not JSON: {oops\n"),
}

export const unknown: Command = {
  hint: "",
  description: "Writes a line of a type nobody knows",
  run: (_, turn) => turn.agent.out.raw('{"type":"novelty","note":"A type that no driver knows."}\n'),
}

export const crash: Command = {
  hint: "CODE",
  description: "Ends the process in the middle of a text",
  async run(argument, turn) {
    const code = wholeNumber(split(argument, 1)[0], "CODE", 0, 255)
    const id = turn.blocks.start({ kind: "text" })
    turn.blocks.delta(id, "About to ")
    await turn.agent.out.flush()
    const stack = ["loop (agent.ts:42)", "turn (agent.ts:17)", "main (agent.ts:3)"].map((frame) => `    at ${frame}`)
    writeSync(2, `${["mock-agent: a scripted crash", ...stack, `exit code ${code}`].join("\n")}\n`)
    process.exit(code)
  },
}

export const exit: Command = {
  hint: "",
  description: "Ends the conversation",
  run(_, turn) {
    turn.exiting = true
  },
}

export const hang: Command = {
  hint: "",
  description: "Never ends the turn; ignores interrupt, SIGTERM and the end of input",
  async run(_, turn) {
    turn.agent.hanging = true
    // Without its input nothing else would keep the process alive.
    setInterval(() => undefined, MINUTE_MS)
    turn.say("Hanging.")
    await new Promise(() => undefined)
  },
}

const MINUTE_MS = 60_000
