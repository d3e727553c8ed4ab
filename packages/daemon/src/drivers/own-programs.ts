import { nativeAgent } from "./table.ts"

/** Is what the driver of this agent has this program be. */
export async function runOwnProgram([agent = "", ...words]: string[]): Promise<void> {
  const run = nativeAgent(agent)?.ownProgram
  if (run === undefined) throw new Error(`this program is nothing for an agent ${JSON.stringify(agent)}`)
  await run(words)
}
