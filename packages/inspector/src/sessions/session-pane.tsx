import { memo, type ReactNode, useMemo } from "react"
import type { SessionInfo } from "sandbox-agent"
import { useDaemon } from "../daemon-context.ts"
import { go, hashOf, useRoute } from "../route.ts"
import { useNow, useStore } from "../store.ts"
import { useAddressed } from "../ui/addressed.ts"
import { Icon } from "../ui/icon.tsx"
import { ago, commandKey, exact, titleOf } from "../ui/words.ts"
import { hidden } from "./deletion.ts"
import { groupsOf } from "./groups.ts"
import { waitsForPerson } from "./session-list.ts"
import { type Look, lookOf, StatusDot, wordOf } from "./status.tsx"

/** What nobody should have to point at to know. */
const worded: readonly Look[] = ["failed", "ended"]

const Row = memo(
  ({ session, href, current, now }: { session: SessionInfo; href: string; current: boolean; now: number }) => {
    const look = lookOf(session)
    const waits = waitsForPerson(session)
    return (
      <a className="session" href={href} aria-current={current ? "page" : undefined}>
        <StatusDot look={look} />
        <span className="session-title" title={titleOf(session)}>
          {titleOf(session)}
        </span>
        {waits > 0 ? (
          <span className="badge" title="waits for you">
            {waits}
          </span>
        ) : (
          <time dateTime={session.updatedAt} title={exact(session.updatedAt)}>
            {ago(session.updatedAt, now)}
          </time>
        )}
        <span className="session-more">
          {session.agent}
          <span className="path" title={session.directory}>
            {session.directory.split("/").slice(-2).join("/")}
          </span>
          {session.queue.length > 0 && <span>{session.queue.length} queued</span>}
          {session.background > 0 && <span>{session.background} in background</span>}
          <span className={worded.includes(look) ? look : "said"} title={session.error?.message}>
            {wordOf(session)}
          </span>
        </span>
      </a>
    )
  },
)

/** `alone`: on a narrow screen it is the page. */
export function SessionPane({ children, alone }: { children: ReactNode; alone: boolean }) {
  const { list } = useDaemon()
  const state = useStore(list)
  const gone = useStore(hidden)
  const { session, place, tab, find } = useRoute()
  const [filter, setFilter] = useAddressed("find")
  const now = useNow(30_000)
  const groups = useMemo(
    () =>
      groupsOf(
        state.sessions.filter(({ id }) => !gone.has(id)),
        filter,
        now,
      ),
    [state.sessions, gone, filter, now],
  )
  return (
    <div className="sessions" aria-label="Sessions" role={alone ? "main" : "navigation"}>
      {alone && <h1 className="said">Sessions</h1>}
      <div className="sessions-head">
        <button type="button" className="primary wide" onClick={() => go({ place: "new" })}>
          <Icon name="plus" /> <span>New session</span>
        </button>
        <label className="search">
          <Icon name="search" size={14} />
          <input
            type="search"
            placeholder="Filter sessions"
            aria-label="Filter sessions"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </label>
      </div>
      <div className="sessions-list">
        {state.loading && <div className="shape" role="status" aria-label="Loading sessions" />}
        {!state.loading && groups.length === 0 && (
          <p className="empty">{filter === "" ? "No sessions yet." : "No session has these words."}</p>
        )}
        {groups.map(({ name, sessions }) => (
          <section key={name}>
            <h2>{name}</h2>
            {sessions.map((one) => (
              <Row
                key={one.id}
                session={one}
                href={hashOf({ session: one.id, tab, find })}
                current={one.id === session}
                now={now}
              />
            ))}
          </section>
        ))}
        {state.hasMore && (
          <p className="empty">Older sessions are not listed; open one by its id with {commandKey} K.</p>
        )}
      </div>
      <a
        className="pane-foot"
        href={hashOf({ place: "agents", find })}
        aria-current={place === "agents" ? "page" : undefined}
      >
        <Icon name="agents" /> <span>Agents</span>
      </a>
      {children}
    </div>
  )
}
