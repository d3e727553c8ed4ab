import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { NativeState } from "@sandbox-agent/schema/session-view"
import { missing, readRegular, tooLarge } from "../files/regular-file.ts"
import { assertDirectory } from "./directory.ts"
import { type Driver, MemoryGone } from "./driver.ts"
import { hostFor } from "./opening.ts"
import type { Session } from "./session.ts"
import type { Sessions } from "./sessions.ts"

/** What tells one record from a later one, and the record itself unless its tag is known already. */
export interface TaggedState {
  etag: string
  state?: NativeState
}

/** The agent's own record of a session, as another daemon takes it. */
export async function nativeStateOf(s: Session, isKnown: (etag: string) => boolean): Promise<TaggedState> {
  const { id, agent, native, status } = s.record
  const { carries } = s.driver ?? {}
  if (carries === undefined)
    throw new SandboxAgentError("not_supported", `agent ${agent} has no record of a session that could be carried`, {
      agent,
    })
  if (status !== "idle" && status !== "ended") throw changing(id)
  const sequence = s.log.last
  const host = hostFor(s.context, agent)
  const file = native.id !== undefined && native.durable ? await carries.find({ ...native }, host) : undefined
  if (native.id === undefined || file === undefined)
    throw new SandboxAgentError("not_found", `${agent} has written no record of session ${id} yet`, { sessionId: id })
  // Before it is read: where it changes meanwhile, the tag is that of before, and who has it asks again.
  const { ino, size, mtimeNs } = await stat(file, { bigint: true }).catch((error: unknown) => missing(file, error))
  const etag = `"${[sequence, ino, size, mtimeNs].map((part) => part.toString(36)).join("-")}"`
  if (isKnown(etag)) return { etag }
  const data = await promisify(gzip)(await readRegular(file, limits.nativeStateBytes, host.reach))
  if (data.length > limits.nativeStateSentBytes) throw tooLarge(file, limits.nativeStateBytes)
  if (s.log.last !== sequence) throw changing(id)
  return { etag, state: { nativeSessionId: native.id, sequence, data: data.toString("base64") } }
}

const changing = (id: string): SandboxAgentError =>
  new SandboxAgentError("conflict", `session ${id} is at work: its record is whole when the turn has ended`, {
    sessionId: id,
  })

interface Brought {
  id: string
  nativeSessionId: string
  nativeState: string
  /** Another session of this daemon goes on in it. */
  isOwned: boolean
  directory?: string
  env?: Record<string, string>
}

/**
 * Gives the agent its record where it has none yet. What is no record of that session, or none that this agent can have, is left
 * out: the brief is there for that.
 */
export async function placeNativeState(
  sessions: Sessions,
  driver: Driver,
  { id, nativeSessionId, nativeState, isOwned, directory, env = {} }: Brought,
): Promise<{ remove(): void } | undefined> {
  const { context } = sessions
  const { carries, agent } = driver
  const bytes = await unpacked(nativeState)
  if (carries === undefined || isOwned) return undefined
  // Looked at by whoever creates the session as well: nothing is written for one that cannot be.
  sessions.assertFree(id)
  const where = resolve(directory ?? context.defaultDirectory)
  await assertDirectory("directory", directory ?? where, context)
  const host = hostFor(context, agent)
  try {
    const placed = await carries.place({ id: nativeSessionId, bytes }, { directory: where, env }, host)
    // At once, because it is done with the rights of another user; never into something that is there.
    host.asAgent(() => {
      mkdirSync(dirname(placed.path), { recursive: true, mode: 0o700 })
      writeFileSync(placed.path, placed.bytes, { flag: "wx", mode: 0o600 })
    })
    return { remove: () => host.asAgent(() => rmSync(placed.path, { force: true })) }
  } catch (error) {
    const { code, errno } = error as NodeJS.ErrnoException
    if (code === "EEXIST") return undefined // it has a record of its own, which is newer or the same
    // A home that cannot be written to, or an id that is no name of a file, is no reason not to go on.
    if (!(error instanceof MemoryGone) && errno === undefined) throw error
    context.log("warn", "a native state was not used", { session: id, agent, reason: String(error) })
    return undefined
  }
}

async function unpacked(data: string): Promise<Buffer> {
  try {
    return await promisify(gunzip)(Buffer.from(data, "base64"), { maxOutputLength: limits.nativeStateBytes })
  } catch {
    throw new SandboxAgentError("invalid_request", "nativeState: it is not what a daemon gave, or too large")
  }
}
