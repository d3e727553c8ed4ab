import { fromBase64 } from "../api/base64.ts"
import type { Rest } from "../api/rest.ts"
import { ProblemError } from "../errors.ts"
import type { ErrorCode } from "../types.ts"
import type { Lease, SessionStore } from "./session-store.ts"

interface Resting {
  store: SessionStore
  lease: Lease
  api: Rest
  id: string
  signal: AbortSignal
}

/** The agent has none, or none now: a later rest may have one, and the brief is there without. */
const without: readonly (ErrorCode | undefined)[] = ["not_supported", "not_found", "conflict", "payload_too_large"]

/** What the agent itself has of a session that rests, where the stored one is older. */
export async function keepNativeState({ store, lease, api, id, signal }: Resting): Promise<void> {
  const { sandbox } = lease
  const info = await api.getSession(id, { signal })
  const before = await store.nativeState({ sandbox, id, createdAt: info.createdAt })
  if (before !== undefined && before.sequence >= info.lastSequence) return
  try {
    const { nativeSessionId, sequence, data } = await api.getNativeState(id, { signal })
    const [opened] = await store.open(lease, [info])
    if (opened !== undefined)
      await store.saveNativeState(lease, opened.uid, { nativeSessionId, sequence, data: fromBase64(data) })
  } catch (error) {
    if (!(error instanceof ProblemError) || !without.includes(error.code)) throw error
  }
}
