import { useCallback, useMemo, useSyncExternalStore } from "react"
import type { SandboxAgentClient } from "../client.ts"
import type { Session } from "../session/session.ts"
import type { TranscriptState } from "../transcript/transcript.ts"
import type { Permission, Question } from "../types.ts"

/** One object for each session of a client, so that all components share its stream. */
const sessions = new WeakMap<SandboxAgentClient, Map<string, WeakRef<Session>>>()

function sessionOf(client: SandboxAgentClient, id: string): Session {
  const known = sessions.get(client) ?? new Map<string, WeakRef<Session>>()
  sessions.set(client, known)
  const found = known.get(id)?.deref()
  if (found !== undefined) return found
  const made = client.session(id)
  known.set(id, new WeakRef(made))
  return made
}

/** A session, the same object in every component. Nothing is asked of the daemon before something of it is shown. */
export function useSession(client: SandboxAgentClient, id: string): Session {
  return useMemo(() => sessionOf(client, id), [client, id])
}

/** What the session amounts to now, live while it is shown. With `select`, a part of it: drawn anew when that part is another. */
export function useTranscript(session: Session): TranscriptState
export function useTranscript<Part>(session: Session, select: (state: TranscriptState) => Part): Part
export function useTranscript<Part>(
  { transcript }: Session,
  select?: (state: TranscriptState) => Part,
): TranscriptState | Part {
  const get = useCallback(() => {
    const state = transcript.getSnapshot()
    return select === undefined ? state : select(state)
  }, [transcript, select])
  return useSyncExternalStore<TranscriptState | Part>(transcript.subscribe, get, get)
}

/** What waits for a person; `session.replyPermission`, `replyQuestion` and `rejectQuestion` answer it. */
export interface Pending {
  permissions: readonly Permission[]
  questions: readonly Question[]
}

const permissionsOf = ({ permissions }: TranscriptState): readonly Permission[] => permissions
const questionsOf = ({ questions }: TranscriptState): readonly Question[] => questions

/** Drawn anew when something begins or ceases to wait, not with every word of the agent. */
export function usePending(session: Session): Pending {
  const permissions = useTranscript(session, permissionsOf)
  const questions = useTranscript(session, questionsOf)
  return useMemo(() => ({ permissions, questions }), [permissions, questions])
}
