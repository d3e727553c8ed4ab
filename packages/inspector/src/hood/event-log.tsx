import { memo, useEffect, useMemo, useRef, useState } from "react"
import type { Event, Session, TranscriptState } from "sandbox-agent"
import { VList, type VListHandle } from "virtua"
import { CodeBlock } from "../content/code-block.tsx"
import { useDaemon } from "../daemon-context.ts"
import { adjust, useRoute } from "../route.ts"
import { kept, useFrames, useStore } from "../store.ts"
import { useAddressed } from "../ui/addressed.ts"
import { Icon } from "../ui/icon.tsx"
import { useKeptFocus } from "../ui/kept-focus.ts"
import { attempt, copyText } from "../ui/notices.tsx"
import { pickKeys } from "../ui/pick-keys.ts"
import { EventWindow, glance, itemOf } from "./event-window.ts"

const hiddenTypes = kept<readonly string[]>("hidden-events", ["item.delta"])
const groups = [
  "session",
  "message",
  "turn",
  "item",
  "item.delta",
  "permission",
  "question",
  "plan",
  "usage",
  "error",
  "agent",
]
const groupOf = (type: string): string => (type === "item.delta" ? type : (type.split(".")[0] ?? type))

export function EventLog({ session }: { session: Session }) {
  const { client } = useDaemon()
  const { event: wanted, item } = useRoute()
  const { sequence } = useFrames<TranscriptState>(session.transcript)
  const [events] = useState(() => new EventWindow(client, session))
  const state = useStore(events)
  const off = useStore(hiddenTypes)
  const [text, setText] = useAddressed("words")
  const list = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  // What was looked at is closed: one goes on in the list.
  useKeptFocus(box, () => box.current?.querySelector<HTMLElement>(".event-list"))
  const atEnd = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: where it begins is where one came from
  useEffect(() => {
    void events.open(wanted)
    atEnd.current = wanted === undefined
    return () => events.close()
  }, [events])
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every event, and not more often than twice a second
  useEffect(() => {
    const timer = setTimeout(() => void events.more(), 300)
    return () => clearTimeout(timer)
  }, [sequence, events])
  const known = state.events.some((one) => one.sequence === wanted)
  useEffect(() => {
    if (wanted !== undefined && !known && !state.loading) void events.open(wanted)
  }, [wanted, known, state.loading, events])
  const shown = useMemo(() => {
    const words = text.toLowerCase()
    return state.events.filter(
      (one) =>
        (one.sequence === wanted || !off.includes(groupOf(one.type))) &&
        (words === "" || JSON.stringify(one).toLowerCase().includes(words)),
    )
  }, [state.events, off, text, wanted])
  const selected = state.events.find((one) => one.sequence === wanted)
  const place = shown.findIndex((one) => one.sequence === wanted)
  useEffect(() => {
    if (place >= 0) list.current?.scrollToIndex(place, { align: "nearest" })
    else if (atEnd.current && wanted === undefined) list.current?.scrollToIndex(shown.length - 1, { align: "end" })
  }, [place, shown.length, wanted])
  return (
    <div className="event-log" ref={box}>
      <div className="filters">
        <label className="search">
          <Icon name="search" size={14} />
          <input
            type="search"
            aria-label="Filter events"
            placeholder="Filter by any text"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <div className="chips" role="group" aria-label="Types of events">
          {groups.map((name) => (
            <button
              key={name}
              type="button"
              className="chip"
              aria-pressed={!off.includes(name)}
              onClick={() =>
                hiddenTypes.update((all) => (all.includes(name) ? all.filter((one) => one !== name) : [...all, name]))
              }
            >
              {name === "item.delta" ? "delta" : name}
            </button>
          ))}
        </div>
      </div>
      {state.error && <p className="note bad">{state.error}</p>}
      {state.hasOlder && (
        <button type="button" className="quiet fold" onClick={() => void events.older()}>
          Show older events
        </button>
      )}
      {!state.loading && shown.length === 0 && <p className="empty">No event has these types and words.</p>}
      <VList
        ref={list}
        className="event-list"
        data={shown}
        itemSize={26}
        // Named as the one that has the focus, so it is there wherever one scrolls.
        keepMounted={place < 0 ? undefined : [place]}
        tabIndex={0}
        role="listbox"
        aria-label="Events"
        aria-activedescendant={place < 0 ? undefined : `event-${wanted}`}
        onKeyDown={pickKeys(shown.length, place, (to) => adjust({ event: shown[to]?.sequence }, { replace: true }))}
        onScroll={(offset) => {
          const at = list.current
          if (at) atEnd.current = at.scrollSize - offset - at.viewportSize < 30
        }}
      >
        {(one) => (
          <EventLine
            key={one.sequence}
            event={one}
            selected={one.sequence === wanted}
            ofItem={item !== undefined && itemOf(one) === item}
          />
        )}
      </VList>
      {selected && <EventDetail event={selected} />}
    </div>
  )
}

const EventLine = memo(({ event, selected, ofItem }: { event: Event; selected: boolean; ofItem: boolean }) => (
  <button
    type="button"
    id={`event-${event.sequence}`}
    role="option"
    tabIndex={-1}
    aria-selected={selected}
    className={`event ${ofItem ? "of-item" : ""}`}
    onClick={() => adjust({ event: event.sequence })}
  >
    <span className="sequence">{event.sequence}</span>
    <span className={`type of-${groupOf(event.type).replace(".", "-")}`}>{event.type}</span>
    <span className="glance">{glance(event)}</span>
    <time title={event.time}>{event.time.slice(11, 23)}</time>
  </button>
))

/** The event, and beside it the line that the agent wrote. */
function EventDetail({ event }: { event: Event }) {
  const { raw, ...rest } = event
  const item = itemOf(event)
  const native = raw === undefined ? undefined : typeof raw === "string" ? raw : JSON.stringify(raw, null, 2)
  return (
    <div className="event-detail" role="region" aria-label={`Event ${event.sequence}`}>
      <div className="head">
        <b>
          {event.sequence} {event.type}
        </b>
        <span className="tag">{event.source}</span>
        <span className="grow" />
        {item && (
          <button type="button" className="quiet" onClick={() => adjust({ item })}>
            Show item
          </button>
        )}
        <button
          type="button"
          className="icon-button"
          aria-label="Copy event"
          onClick={() => attempt(copyText(JSON.stringify(event, null, 2)))}
        >
          <Icon name="copy" size={14} />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Close the event"
          onClick={() => adjust({ event: undefined })}
        >
          <Icon name="close" size={14} />
        </button>
      </div>
      <h2>Event</h2>
      <CodeBlock code={JSON.stringify(rest, null, 2)} language="json" />
      <h2>Native line</h2>
      {native === undefined ? (
        <p className="soft">None: the daemon made this event itself.</p>
      ) : (
        <CodeBlock code={native} language="json" />
      )}
    </div>
  )
}
