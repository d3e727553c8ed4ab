import { resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Session } from "@sandbox-agent/schema/session"
import { callJson } from "./client.ts"
import type { Connection } from "./connection.ts"
import { isSet, lastOf, type Parsed } from "./parse.ts"
import { sessionBody } from "./session-flags.ts"
import { UsageError } from "./usage.ts"

/** What a session has from its beginning to its end. */
const fixed = ["env", "system-prompt", "mcp"] as const

export const goesOn = (parsed: Parsed): boolean => isSet(parsed, "continue") || lastOf(parsed, "session") !== undefined

export const directoryOf = (parsed: Parsed): string =>
  resolve(lastOf(parsed, "directory") ?? lastOf(parsed, "cwd") ?? ".")

/** The session that is gone on with, if there is one: by its name, or the one of this directory that was used last. */
export async function knownSession(
  connection: Connection,
  parsed: Parsed,
  agent: string | undefined,
  command: readonly string[],
): Promise<string | undefined> {
  if (!goesOn(parsed)) return undefined
  const named = lastOf(parsed, "session")
  const session = named === undefined ? await usedLast(connection, parsed, agent) : await existing(connection, named)
  if (session === undefined) return undefined
  assertSame(session, parsed, agent, command)
  await set(connection, session, parsed, command)
  return session.id
}

async function usedLast(connection: Connection, parsed: Parsed, agent: string | undefined): Promise<Session> {
  const directory = directoryOf(parsed)
  let last: Session | undefined
  for await (const session of sessionsOf(connection, agent)) {
    if (session.directory !== directory || session.status === "ended") continue
    if (last === undefined || session.updatedAt > last.updatedAt) last = session
  }
  if (last !== undefined) return last
  const whose = agent === undefined ? "" : ` of ${agent}`
  throw new SandboxAgentError("session_not_found", `there is no session${whose} in ${directory} to go on with`, {
    hint: "`chat` and `run --session NAME` keep theirs",
  })
}

/** They are listed by their beginning, so the one that was used last may be on any page. */
async function* sessionsOf(connection: Connection, agent: string | undefined): AsyncGenerator<Session> {
  const query = new URLSearchParams({ limit: "200", ...(agent !== undefined && { agent }) })
  for (let more = true; more; ) {
    const page = await callJson<{ sessions: Session[]; nextCursor?: string }>(connection, {
      method: "GET",
      path: "/v1/sessions",
      query,
    })
    yield* page.sessions
    more = page.nextCursor !== undefined
    query.set("cursor", page.nextCursor ?? "")
  }
}

const pathOf = (id: string): string => `/v1/sessions/${encodeURIComponent(id)}`

async function existing(connection: Connection, id: string): Promise<Session | undefined> {
  try {
    return await callJson<Session>(connection, { method: "GET", path: pathOf(id) })
  } catch (error) {
    if (SandboxAgentError.is(error) && error.code === "session_not_found") return undefined
    throw error
  }
}

/** What was asked for and is not so must not look as if it were. */
function assertSame(session: Session, parsed: Parsed, agent: string | undefined, command: readonly string[]): void {
  const { id, directory } = session
  if (agent !== undefined && agent !== session.agent)
    throw new SandboxAgentError("conflict", `session ${id} is one of ${session.agent}, not of ${agent}`, {
      sessionId: id,
      hint: `leave the agent out, choose another --session, or let ${agent} go on from there: \`sandbox-agent sessions fork ${id} NEW-ID --agent ${agent}\``,
    })
  const isMoved = lastOf(parsed, "directory") !== undefined || lastOf(parsed, "cwd") !== undefined
  if (isMoved && directoryOf(parsed) !== directory)
    throw new UsageError(`--directory: session ${id} works in ${directory} and stays there`, command)
  const given = fixed.find((name) => lastOf(parsed, name) !== undefined)
  if (given !== undefined)
    throw new UsageError(`--${given} counts when a session begins, and ${id} is there already`, command)
}

/** Model, modes and effort of a session can change as it goes on. */
async function set(connection: Connection, { id }: Session, parsed: Parsed, command: readonly string[]): Promise<void> {
  const { model, variant, agentMode, permissionMode } = sessionBody(parsed, command)
  const body = { model, variant, agentMode, permissionMode }
  if (Object.values(body).every((value) => value === undefined)) return
  await callJson(connection, { method: "PATCH", path: pathOf(id), body })
}
