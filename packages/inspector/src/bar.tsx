import { Logo } from "./connection/connect-screen.tsx"
import { choose, daemons, leave } from "./connection/daemons.ts"
import { useDaemon } from "./daemon-context.ts"
import { go } from "./route.ts"
import { waitsForPerson } from "./sessions/session-list.ts"
import { askToNotify } from "./sessions/waiting.ts"
import { useNow, useStore } from "./store.ts"
import { Icon } from "./ui/icon.tsx"
import { Menu } from "./ui/menu.tsx"
import { toggleTheme } from "./ui/theme.ts"
import { commandKey, duration } from "./ui/words.ts"

export function Bar({ onSearch }: { onSearch: () => void }) {
  const { known, list } = useDaemon()
  const state = useStore(list)
  const all = useStore(daemons)
  const waiting = state.sessions.filter((session) => waitsForPerson(session) > 0)
  const count = waiting.reduce((sum, session) => sum + waitsForPerson(session), 0)
  const host = known.baseUrl.replace(/^https?:\/\//, "")
  const entries = [
    ...all
      .filter(({ baseUrl }) => baseUrl !== known.baseUrl)
      .map((other) => ({
        label: other.baseUrl.replace(/^https?:\/\//, ""),
        icon: "swap" as const,
        run: () => {
          go({ find: undefined })
          choose(other)
        },
      })),
    {
      label: "Another daemon",
      icon: "plus" as const,
      // Places of one are none of another.
      run: () => {
        go({ find: undefined })
        leave()
      },
    },
    { label: "Notify me when something waits", icon: "hand" as const, run: askToNotify },
  ]
  return (
    <header className="bar">
      <a className="home" href="#/" aria-label="All sessions">
        <Logo />
      </a>
      <Menu label={`Daemon ${host}`} entries={entries}>
        <span className="host">{host}</span> <Icon name="down" size={14} />
      </Menu>
      <Link />
      <span className="grow" />
      <button type="button" className="search-button" onClick={onSearch}>
        <Icon name="search" size={14} /> <span>Search</span> <kbd>{commandKey} K</kbd>
      </button>
      {count > 0 && (
        <button type="button" className="waiting" onClick={() => waiting[0] && go({ session: waiting[0].id })}>
          <Icon name="hand" size={14} /> {count} <span>waiting</span>
        </button>
      )}
      <button type="button" className="icon-button" aria-label="Light or dark" onClick={toggleTheme}>
        <Icon name="sun" />
      </button>
    </header>
  )
}

/** A quiet line while the daemon is away; it never covers the page. */
function Link() {
  const { list } = useDaemon()
  const { link, heardAt, error } = useStore(list)
  return (
    <span className="link" role="status">
      {link === "reconnecting" && <Away since={heardAt} why={error?.message} />}
    </span>
  )
}

function Away({ since, why }: { since: number; why: string | undefined }) {
  const now = useNow(1000)
  return (
    <span title={why}>
      <span className="spin" /> Reconnecting
      <span aria-hidden="true">, last heard {duration(Math.max(0, now - since))} ago</span>
    </span>
  )
}
