import { useEffect, useRef, useState } from "react"
import type { Session, SessionInfo, TranscriptState } from "sandbox-agent"
import { Composer } from "../acting/composer.tsx"
import { PermissionCard } from "../acting/permission-card.tsx"
import { QuestionCard } from "../acting/question-card.tsx"
import { useDaemon } from "../daemon-context.ts"
import { useFrames, useStore } from "../store.ts"
import { TranscriptView } from "../transcript/transcript.tsx"
import { Icon } from "../ui/icon.tsx"
import { useKeptFocus } from "../ui/kept-focus.ts"
import { isGone, NoSession } from "./no-session.tsx"
import { Plan } from "./plan.tsx"
import { SessionHead } from "./session-head.tsx"
import type { SessionList } from "./session-list.ts"

/** `onGone`: whether the daemon has it no more. `onAnother`: its id is that of another by now, made after it was deleted. */
export function SessionView(props: { session: Session; onGone: (gone: boolean) => void; onAnother: () => void }) {
  const { session, onGone, onAnother } = props
  const { agents, list } = useDaemon()
  const state = useFrames<TranscriptState>(session.transcript)
  const below = useRef<HTMLDivElement>(null)
  useKeptFocus(below, () => below.current?.querySelector<HTMLElement>(".card.waits, textarea"))
  const agent = useStore(agents)?.find(({ id }) => id === state.session?.agent)
  const { link, sessions } = useStore(list)
  useFollowed(list, state.session)
  // The daemon was away for longer than anybody waits for a stream: it is followed again.
  const lost = state.error !== undefined && ["network", "timeout"].includes(state.error.kind)
  useEffect(() => {
    if (lost && link === "open") session.transcript.subscribe(() => undefined)()
  }, [lost, link, session])
  const info = state.session
  const gone = isGone(state.error)
  useEffect(() => onGone(gone), [onGone, gone])
  const madeAt = sessions.find(({ id }) => id === session.id)?.createdAt ?? ""
  const [firstMadeAt] = useState(madeAt)
  // Only a later one: the list may be behind the transcript, too.
  const isAnother = madeAt > (info?.createdAt ?? firstMadeAt) && (gone || info !== undefined)
  useEffect(() => {
    if (isAnother) onAnother()
  }, [onAnother, isAnother])
  if (state.error !== undefined && (gone || info === undefined))
    return <NoSession id={session.id} error={state.error} wasShown={info !== undefined} />
  if (info === undefined)
    return (
      <div className="session-view" role="status" aria-label="Loading the transcript">
        <div className="shapes late">
          <div className="shape" />
          <div className="shape" />
          <div className="shape" />
        </div>
      </div>
    )
  const name = agent?.name ?? info.agent
  return (
    <section className="session-view" aria-label={info.title ?? info.id}>
      <SessionHead session={session} info={info} agent={agent} state={state} />
      {state.items.length === 0 && state.turns.length === 0 ? (
        <Beginning mock={info.agent === "mock"} session={session} />
      ) : (
        <TranscriptView key={session.id} session={session} state={state} />
      )}
      <div className="below" ref={below}>
        {/* Why a turn failed stands where it ended. */}
        {info.error && info.status !== "running" && state.turns.at(-1)?.ended?.error === undefined && (
          <p className="note bad">
            <Icon name="alert" size={14} /> <b>{info.error.code}</b> <span>{info.error.message}</span>
          </p>
        )}
        {state.plan.length > 0 && <Plan entries={state.plan} />}
        <div className="requests" role="region" aria-label="What waits for you" aria-live="polite">
          {state.permissions.map((permission, at) => (
            <PermissionCard
              key={permission.permission_id}
              session={session}
              permission={permission}
              agent={name}
              first={at === 0 && state.questions.length === 0}
            />
          ))}
          {state.questions.map((question) => (
            <QuestionCard key={question.question_id} session={session} question={question} agent={name} />
          ))}
        </div>
        <Composer key={session.id} session={session} info={info} agent={agent} />
      </div>
    </section>
  )
}

const tries = [
  [
    "Stream an answer",
    "# A streamed answer\n\nEvery word you read **came as an event** of its own.\n\n- one API for every agent\n- one log that survives a kill\n\n```ts\nawait session.prompt('hello')\n```",
  ],
  [
    "Ask for a permission",
    "/think The person should decide whether this runs.\n/permission printf '\\033[32mok\\033[0m it ran\\n'",
  ],
  ["Change a file", "/edit hello.txt Hello from the inspector"],
  ["Work through a plan", "/todo\n/subagent\n/usage\n/echo All done."],
  ["Ask a question", "/question"],
] as const

/** An empty transcript teaches with what can be done. */
function Beginning({ mock, session }: { mock: boolean; session: Session }) {
  return (
    <div className="middle-note">
      <Icon name="chat" size={24} />
      <h1>{mock ? "The mock agent is scripted" : "Nothing was said yet"}</h1>
      <p>{mock ? "It needs no account and does what it is told. Try one:" : "Say below what to do."}</p>
      {mock && (
        <div className="tries">
          {tries.map(([label, message]) => (
            <button key={label} type="button" onClick={() => void session.send(message)}>
              {label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

/** The list shows of this session what its own stream says, at once. */
function useFollowed(list: SessionList, info: SessionInfo | undefined): void {
  const { id, title, queue, background } = info ?? {}
  useEffect(() => {
    if (id !== undefined && queue !== undefined && background !== undefined)
      list.follow({ id, title, queue, background })
  }, [list, id, title, queue, background])
  useEffect(() => {
    if (id !== undefined) return () => list.leave(id)
  }, [list, id])
}
