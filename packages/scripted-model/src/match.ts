import { lastUserText, type ModelRequest, toolResults } from "./request.ts"
import type { Matcher } from "./step.ts"

/** The user's last text has this in it. */
export function userSays(pattern: string | RegExp): Matcher {
  return labelled(`userSays(${show(pattern)})`, (request) => has(lastUserText(request), pattern))
}

/** The system prompt, developer messages included, has this in it. */
export function systemSays(pattern: string | RegExp): Matcher {
  return labelled(`systemSays(${show(pattern)})`, (request) => has(request.system, pattern))
}

/** The request brings a tool result, of this tool when named. */
export function afterTool(name?: string): Matcher {
  return labelled(`afterTool(${name ?? ""})`, (request) => {
    const results = toolResults(request)
    return name === undefined ? results.length > 0 : results.some((result) => result.name === name)
  })
}

/** The request comes from a sub-agent (Claude Code, OpenCode, Codex), from this one when named. */
export function fromSubagent(id?: string): Matcher {
  return labelled(`fromSubagent(${id ?? ""})`, (request) =>
    id === undefined ? request.agentId !== undefined : request.agentId === id,
  )
}

/** The request comes from the main conversation. */
export function fromMain(): Matcher {
  return labelled("fromMain()", (request) => request.agentId === undefined)
}

export function modelIs(model: string): Matcher {
  return labelled(`modelIs(${model})`, (request) => request.model === model)
}

export function not(matcher: Matcher): Matcher {
  return labelled(`not(${matcher.label ?? "matcher"})`, (request) => !matcher(request))
}

function labelled(label: string, test: (request: ModelRequest) => boolean): Matcher {
  return Object.assign(test, { label })
}

function has(text: string, pattern: string | RegExp): boolean {
  return typeof pattern === "string" ? text.includes(pattern) : text.search(pattern) !== -1
}

function show(pattern: string | RegExp): string {
  return typeof pattern === "string" ? JSON.stringify(pattern) : String(pattern)
}
