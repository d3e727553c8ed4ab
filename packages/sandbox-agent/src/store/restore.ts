import { toBase64 } from "../api/base64.ts"
import { StoreError } from "../errors.ts"
import type { CallOptions } from "../http/http.ts"
import type { CreateSessionRequest, RestoredSession, RestoreSessionRequest } from "../types.ts"
import type { IngestClient } from "./ingest.ts"
import type { SessionRef, SessionStore, StoredSession } from "./session-store.ts"
import { blobsOf } from "./stored-blobs.ts"
import { pastOf, type StoredPast } from "./stored-past.ts"

export interface RestoreOptions extends Partial<CreateSessionRequest>, CallOptions {
  /** Its name on the other daemon. Default: the one it had. */
  id?: string
}

export type RestoredFromStore = RestoredSession & {
  /** Whether the daemon was told all that is stored, with every picture and attachment. Else the end of it, and the first message; the rest stays where it is. */
  isWhole: boolean
}

/**
 * Has a daemon go on with a session of another one, which may be gone. It has the settings that it had, under those given; a system prompt,
 * environment, MCP servers and skills are in no log and to be given again.
 */
export async function restoreStored(
  store: SessionStore,
  ref: SessionRef,
  client: IngestClient,
  { id, signal, timeoutMs, ...given }: RestoreOptions = {},
): Promise<RestoredFromStore> {
  const session = await store.get(ref)
  if (session === undefined)
    throw new StoreError("session_not_found", `No session ${ref.id} of ${ref.sandbox} is stored`)
  const past = await pastOf(store, session)
  const native = await nativeStateOf(store, session, past, given.agent)
  const { blobs, isWhole } = await blobsOf(store, session, past.told.items, native.nativeState?.length)
  const request = { ...settingsOf(session, past, given.agent), ...native, ...known(given), ...past.told, blobs }
  const restored = await client.rest.restoreSession(id ?? session.id, request, { signal, timeoutMs })
  return { ...restored, isWhole: past.isWhole && isWhole }
}

/** What the agent had when it last rested; where it said more since then, the brief knows better. */
async function nativeStateOf(
  store: SessionStore,
  { sandbox, id, createdAt, info }: StoredSession,
  { saidUntil }: StoredPast,
  agent = info.agent,
): Promise<Pick<RestoreSessionRequest, "nativeSessionId" | "nativeState">> {
  if (agent !== info.agent) return {}
  const found = await store.nativeState({ sandbox, id, createdAt })
  if (found === undefined || found.sequence < saidUntil) return {}
  return { nativeSessionId: found.nativeSessionId, nativeState: toBase64(found.data) }
}

/** Modes, models and native sessions are an agent's own. */
function settingsOf({ info }: StoredSession, past: StoredPast, agent = info.agent): CreateSessionRequest {
  const told = Object.assign({}, ...past.updates) as StoredPast["updates"][number]
  const shared = {
    agent,
    directory: info.directory,
    title: told.title ?? info.title,
    permissionMode: told.permission_mode ?? info.permissionMode,
    metadata: told.metadata ?? info.metadata,
  }
  if (agent !== info.agent) return shared
  return {
    ...shared,
    agentMode: told.agent_mode ?? info.agentMode,
    model: told.model ?? info.model,
    variant: told.variant ?? info.variant,
    nativeSessionId: past.nativeSessionId,
  }
}

const known = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>
