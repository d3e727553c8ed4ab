import { isDeepStrictEqual } from "node:util"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { MemoryGone, type OpenFrom, type OpenOptions } from "../../core/driver.ts"
import { nativeIdOf } from "../shared/native-home.ts"
import type { Client } from "./client.ts"
import { checkChoice } from "./directories.ts"
import { forkPoint } from "./fork.ts"
import type { Rule, Session } from "./native.ts"
import { sessionRules } from "./rules.ts"
import type { Server } from "./server.ts"

/** The native session that is to be opened: made, found again, or copied from another. */
export async function nativeSession(
  server: Server,
  options: OpenOptions,
  skills: string | undefined,
  assertPlace: (directory: string) => Promise<void>,
): Promise<Session> {
  const { from, settings } = options
  const found = await existing(server.client, from)
  const place = found?.directory ?? options.directory
  if (place !== options.directory) await assertPlace(place)
  const directory = await server.directories.get(place)
  checkChoice(directory, settings)
  const permission = sessionRules(directory.agents, settings.agentMode, skills)
  // With a name of its own OpenCode does not ask the model for one.
  const title = options.title ? { title: options.title } : {}
  if (found === undefined)
    return server.client.call("POST /session", { params: { directory: place }, body: { permission, ...title } })
  return withRules(server.client, found, permission)
}

async function existing(client: Client, from: OpenFrom): Promise<Session | undefined> {
  if (from.kind === "new") return undefined
  const id = nativeIdOf(from.ref)
  const params = { sessionID: id }
  // Asked first, also for a fork: a session that is not there is told apart from everything else that may fail.
  const found = await client.call("GET /session/{sessionID}", { params }).catch((error: unknown) => {
    throw SandboxAgentError.is(error) && error.code === "not_found" ? new MemoryGone(error.detail) : error
  })
  if (from.kind !== "fork") return found
  const messageID = from.at === undefined ? undefined : await forkPoint(client, id, from.at)
  return client.call("POST /session/{sessionID}/fork", { params, body: messageID === undefined ? {} : { messageID } })
}

/** Rules can only be added, and the last ones decide: none are added where they stand already. */
export async function withRules(client: Client, session: Session, permission: Rule[]): Promise<Session> {
  const last = (session.permission ?? []).slice(-permission.length)
  if (isDeepStrictEqual(last.map(plain), permission.map(plain))) return session
  return client.call("PATCH /session/{sessionID}", { params: { sessionID: session.id }, body: { permission } })
}

const plain = ({ permission, pattern, action }: Rule): string[] => [permission, pattern, action]
