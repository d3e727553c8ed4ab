import type { MissingLogin } from "../core/programs.ts"
import type { Looked } from "./credential.ts"

/** More than these are counted. */
const namedVariables = 3

export interface Ways {
  /** The variable to set. */
  variable?: string | undefined
  /** The agent's own way to log in, in words. */
  login?: string | undefined
  /** How a shell starts its program, where the name alone may not be found: as it is typed; empty while there is none. */
  program?: string | undefined
}

/** That an agent has nothing to log in with: what was looked for and where, and what can be done about it. */
export function missingLogin(agent: string, looked: Looked, ways: Ways, home: string): MissingLogin {
  const { variable } = ways
  const login = loginWords(agent, ways)
  const set = variable && `set ${variable} where the daemon runs or in \`env\` of the session (\`--env ${variable}=…\`)`
  const run = login
  const steps = [set, run].filter(Boolean).join(", or ")
  return {
    detail: `${agent} has no login: ${whereWords(looked, variable, home)}`,
    hint: `${steps.charAt(0).toUpperCase()}${steps.slice(1)}. The next message looks again.`,
  }
}

function loginWords(agent: string, { login, program }: Ways): string | undefined {
  if (!login) return undefined
  if (program === undefined) return `log in with ${login}`
  if (program === "")
    return `install it (\`sandbox-agent install-agent ${agent}\`, which prints its path) and log in with ${login}`
  // The first word that is no command of the agent's own screen is its program.
  return `log in with ${login.replace(/`(?!\/)[\w-]+/, () => `\`${program}`)}`
}

function whereWords({ variables, files }: Looked, first: string | undefined, home: string): string {
  const names = [...new Set([...variables.filter((name) => name === first), ...variables])]
  const shown = names.slice(0, namedVariables)
  const more = names.length - shown.length
  const list = listed(more > 0 ? [...shown, `${more} more`] : shown, "and")
  const unset = names.length === 0 ? [] : [`${list} ${names.length === 1 ? "is" : "are"} not set`]
  const short = [...new Set(files)].map((file) => (file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file))
  const none = short.length === 0 ? [] : [`there is none in ${listed(short, "or")}`]
  return [...unset, ...none].join(", and ")
}

const listed = (words: readonly string[], last: string): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`
