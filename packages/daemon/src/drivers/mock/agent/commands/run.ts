import type { Step } from "../script.ts"
import type { Turn } from "../turn.ts"
import { BadArguments } from "./command.ts"
import { commands, usage } from "./table.ts"

/** Runs a turn's script to its end. Between two steps the turn takes what was steered into it, or is interrupted. */
export async function runSteps(turn: Turn): Promise<void> {
  while (!turn.exiting) {
    turn.signal.throwIfAborted()
    turn.takeSteered()
    const step = turn.steps.shift()
    if (!step) return
    await runStep(step, turn)
    await turn.room()
  }
}

async function runStep(step: Step, turn: Turn): Promise<void> {
  if (step.kind === "text") return turn.stream("text", step.text)
  const command = commands.get(step.name)
  if (!command) {
    const known = [...commands.keys()].map(usage)
    return turn.say(`Unknown command /${step.name}. Commands: ${known.join(", ")}`)
  }
  try {
    await command.run(step.argument, turn)
  } catch (error) {
    if (!(error instanceof BadArguments)) throw error
    turn.say(`${error.message} Usage: ${usage(step.name)}`)
  }
}
