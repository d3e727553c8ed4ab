import { useEffect, useState } from "react"
import type { Event, Permission, Question, Session, TranscriptState } from "sandbox-agent"
import { speakNext } from "../acting/speak-next.ts"
import { useDaemon } from "../daemon-context.ts"
import { adjust, go, useRoute } from "../route.ts"
import { useFrames, useNow, useStore } from "../store.ts"
import { Icon } from "../ui/icon.tsx"
import { attempt } from "../ui/notices.tsx"
import { cost, count, duration, titleOf } from "../ui/words.ts"
import { type Bar, timesOf } from "./timeline-spans.ts"

const words: Record<Bar["kind"], string> = { model: "Model", tool: "Tools", waits: "Waiting for a person" }

/** Where the time of a turn went. */
export function Timeline({ session }: { session: Session }) {
  const state = useFrames<TranscriptState>(session.transcript)
  const { item: chosen } = useRoute()
  const now = useNow(1000)
  const at = state.turns.findIndex(({ turn_id }) => turn_id === chosen)
  const turn = state.turns[at < 0 ? state.turns.length - 1 : at]
  const asked = useAsked(session, turn?.turn_id, turn?.ended !== undefined)
  if (turn === undefined) return <p className="empty">No turn yet.</p>
  const times = timesOf(session, state, turn, asked, now)
  const place = state.turns.indexOf(turn)
  const other = (step: number) => state.turns[place + step]
  const move = (step: number) => {
    const to = other(step)
    if (to) adjust({ item: to.turn_id }, { replace: true })
  }
  const usage = turn.ended?.usage
  return (
    <div className="timeline">
      <div className="head">
        <button type="button" className="quiet" disabled={!other(-1)} onClick={() => move(-1)}>
          Earlier
        </button>
        <h2>{state.hasOlder ? "Turn" : `Turn ${place + 1}`}</h2>
        <button type="button" className="quiet" disabled={!other(1)} onClick={() => move(1)}>
          Later
        </button>
      </div>
      {times === undefined ? (
        <p className="empty">The beginning of this turn is not loaded.</p>
      ) : (
        <>
          <p className="facts">
            <span>{duration(times.to - times.from)}</span>
            {usage && (
              <span>
                {count(usage.input_tokens)} in, {count(usage.output_tokens)} out
              </span>
            )}
            {turn.ended?.cost_usd !== undefined && <span>{cost(turn.ended.cost_usd)}</span>}
            <span>{turn.ended?.stop_reason.replace("_", " ") ?? "running"}</span>
          </p>
          <Sums sums={times.sums} whole={Math.max(1, times.to - times.from)} />
          <ForkHere session={session} turn={turn.turn_id} state={state} />
          <ol className="bars">
            {times.bars.map((bar) => (
              <BarLine key={bar.id} bar={bar} from={times.from} whole={Math.max(1, times.to - times.from)} />
            ))}
          </ol>
          {times.bars.length === 0 && <p className="empty">Nothing happened in it.</p>}
        </>
      )}
    </div>
  )
}

function Sums({ sums, whole }: { sums: Record<Bar["kind"], number>; whole: number }) {
  const kinds = ["model", "tool", "waits"] as const
  return (
    <>
      <div className="stack" aria-hidden="true">
        {kinds.map((kind) => sums[kind] > 0 && <span key={kind} className={kind} style={{ flexGrow: sums[kind] }} />)}
      </div>
      <ul className="legend">
        {kinds.map((kind) => (
          <li key={kind}>
            <span className={`swatch ${kind}`} aria-hidden="true" />
            {words[kind]} <b>{duration(sums[kind])}</b>{" "}
            <span className="soft">{Math.round((sums[kind] / whole) * 100)} %</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function BarLine({ bar, from, whole }: { bar: Bar; from: number; whole: number }) {
  const left = ((bar.from - from) / whole) * 100
  const width = Math.max(0.4, ((bar.to - bar.from) / whole) * 100)
  return (
    <li>
      <button type="button" onClick={() => adjust(bar.kind === "waits" ? {} : { item: bar.id })}>
        <span className="bar-label">{bar.label}</span>
        <span className="elapsed">{duration(bar.to - bar.from)}</span>
        <span className="track" aria-hidden="true">
          <span
            className={bar.kind}
            style={{ marginLeft: `${Math.min(99.6, left)}%`, width: `${Math.min(100, width)}%` }}
          />
        </span>
      </button>
    </li>
  )
}

/** What was asked of a person in a turn: answered requests are in the log alone. */
function useAsked(session: Session, turn: string | undefined, ended: boolean): readonly (Permission | Question)[] {
  const { client } = useDaemon()
  const state = useFrames<TranscriptState>(session.transcript)
  const [past, setPast] = useState<readonly (Permission | Question)[]>([])
  const open = state.permissions.length + state.questions.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when one was answered
  useEffect(() => {
    const span = turn === undefined ? undefined : session.transcript.spanOf(turn)
    if (span?.from === undefined) return setPast([])
    const stop = new AbortController()
    const read = async () => {
      const found: (Permission | Question)[] = []
      let offset = (span.from ?? 1) - 1
      // A turn may be very long: its first pages tell enough.
      for (let pages = 0; pages < 10; pages++) {
        const { events, hasMore } = await client.getEvents(session.id, { offset, limit: 1000, signal: stop.signal })
        for (const event of events as Event[])
          if (event.type === "permission.requested" || event.type === "question.requested") found.push(event.data)
        offset = events.at(-1)?.sequence ?? offset
        if (!hasMore || (span.to !== undefined && offset >= span.to)) break
      }
      setPast(found)
    }
    read().catch((error: unknown) => {
      if (!stop.signal.aborted) console.warn("The requests of this turn cannot be read", error)
    })
    return () => stop.abort()
  }, [client, session, turn, ended, open])
  return past
}

/** A new session that knows all up to the end of this turn, where the agent can. */
function ForkHere({ session, turn, state }: { session: Session; turn: string; state: TranscriptState }) {
  const { agents, list } = useDaemon()
  const can = useStore(agents)?.find(({ id }) => id === state.session?.agent)?.capabilities.fork
  const end = session.transcript.spanOf(turn)?.to
  if (!can || end === undefined) return null
  const fork = async () => {
    const title = `${titleOf({ title: state.session?.title, id: session.id })} (fork)`.slice(0, 200)
    const made = await session.fork({ title, atSequence: end })
    list.ask(made.id)
    speakNext()
    go({ session: made.id })
  }
  return (
    <button type="button" onClick={() => attempt(fork())}>
      <Icon name="fork" size={14} /> Fork from here
    </button>
  )
}
