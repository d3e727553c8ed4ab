import { full } from "@sandbox-agent/test-agents/extent"
import { scenarios } from "../src/scenarios.ts"

/** Some of these agents take seconds to start: all scenarios only in `npm run test:full`, or to write the report. */
const all = full || process.env.UPDATE_CONFORMANCE === "1"

const some = [
  "text is answered with deltas that add up",
  "a tool call has its arguments and gets its result",
  "a file change is on disk and shown with its diff",
  "a permission given once lets the command run once",
  "a rejected permission refuses the tool with the message, and the model goes on",
  "permission mode plan cannot write",
  "permission mode default asks in every agent mode that can be chosen",
  "a question is answered with one of its choices",
  "a text is interrupted, keeps what was said, and the next message is taken",
  "a terminated session is brought back, and its log goes on",
  "an MCP server given at create is called",
  "two sessions share one process, and the end of one leaves the other",
  "what the agent has lost it is told, and the session goes on",
]
const logs = scenarios.map(({ name }) => name).filter((name) => /^(every|no session ended|nothing was)/.test(name))

/** What a start for each scenario costs most: these touch the most of a driver. */
const fewer = [
  "a tool call has its arguments and gets its result",
  "a permission given once lets the command run once",
  "a rejected permission refuses the tool with the message, and the model goes on",
  "a text is interrupted, keeps what was said, and the next message is taken",
  "a terminated session is brought back, and its log goes on",
]
/** Of what an agent is asked that has modes which ask less, and whose sessions share a process. */
const modes = [
  ...fewer,
  "permission mode default asks in every agent mode that can be chosen",
  "two sessions share one process, and the end of one leaves the other",
]
/** What the core does, whatever the agent, after a kill: an agent that works for seconds at each start is spared it. */
const ofTheCore = [
  "a permission given always holds after kill -9 of the daemon",
  "a request that is open when the daemon is killed is cancelled",
  "a request that is open when the agent is killed is cancelled",
]
/** For each of these OpenCode starts a server that it needs for nothing else. */
const serverOfItsOwn = [
  "skills configured for the directory are offered to the model",
  "an MCP server configured for the directory is called",
  "an MCP server that does not start is told",
  "an agent that is killed in its first answer still knows what it was asked",
]
/** Of agents that work longest at each start. */
const fewest = [
  "a permission given once lets the command run once",
  "a rejected permission refuses the tool with the message, and the model goes on",
  "a text is interrupted, keeps what was said, and the next message is taken",
]

const names = scenarios.map(({ name }) => name)
/** A scenario with another name would be left out of the part, or be in it, and nobody would see it. */
function known(chosen: readonly string[]): readonly string[] {
  const unknown = chosen.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`no scenario has the name ${unknown.join(", nor ")}`)
  return chosen
}
const only = (chosen: readonly string[]) => (all ? {} : { only: [...known(chosen), ...logs] })
const allBut = (left: readonly string[]) => {
  known(left)
  return all ? {} : { only: names.filter((name) => !left.includes(name)) }
}

/** What is run where not everything is. */
export const part = only(some)
/** The same, of agents that work for seconds before they are ready. */
export const partOfSlow = only(fewer)
export const partOfSlowest = only(fewest)
export const partOfModes = only(modes)
export const partOfClaude = allBut(ofTheCore)
export const partOfOpencode = allBut([...ofTheCore, ...serverOfItsOwn])
