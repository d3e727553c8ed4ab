import { nativeAgents } from "../drivers/table.ts"
import { registryEntries } from "../registry/agent-registry.ts"
import { callJson } from "./client.ts"
import { completionTree, type Names, namesToComplete } from "./completion-tree.ts"
import { bashCompletions } from "./completions-bash.ts"
import { fishCompletions } from "./completions-fish.ts"
import { zshCompletions } from "./completions-zsh.ts"
import { connectionOf } from "./connection.ts"
import { dataDirOf } from "./daemon.ts"
import { out } from "./print.ts"
import { UsageError } from "./usage.ts"

const shells = { bash: bashCompletions, zsh: zshCompletions, fish: fishCompletions } as const
export type Shell = keyof typeof shells

export const completionScript = (shell: Shell): string => shells[shell](completionTree())

/** A shell waits for this with every Tab. */
const askMs = 1_500

export async function completionsCommand(argv: string[]): Promise<number> {
  const [what, extra] = argv
  const names = namesToComplete.find((one) => one === what)
  if (names !== undefined && extra === undefined) {
    // Nobody is asked, or nobody answers: then there is nothing to complete.
    const found = await namesOf[names]().catch(() => [])
    await out(found.map((name) => `${name}\n`).join(""))
    return 0
  }
  if (what === undefined || !Object.hasOwn(shells, what) || extra !== undefined)
    throw new UsageError(`give one shell: ${Object.keys(shells).join(", ")}`, ["completions"])
  await out(completionScript(what as Shell))
  return 0
}

const nothing = { given: [], positionals: [] }

const namesOf: Record<Names, () => Promise<string[]>> = {
  agents: async () => [
    ...nativeAgents.flatMap(({ id, driver }) => (driver === undefined ? [] : [id])),
    ...registryEntries(dataDirOf(nothing)).map(({ id }) => id),
  ],
  sessions: async () => {
    const signal = AbortSignal.timeout(askMs)
    const request = {
      method: "GET",
      path: "/v1/sessions",
      query: new URLSearchParams({ limit: "100" }),
      signal,
    } as const
    const { sessions } = await callJson<{ sessions: { id: string }[] }>(
      await connectionOf(nothing, process.env),
      request,
    )
    return sessions.map(({ id }) => id)
  },
}
