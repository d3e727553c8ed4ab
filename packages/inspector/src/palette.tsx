import { useMemo, useRef, useState } from "react"
import { useDaemon } from "./daemon-context.ts"
import { tabs } from "./panel/tabs.ts"
import { adjust, go, useRoute } from "./route.ts"
import { matches } from "./sessions/groups.ts"
import { lookOf, StatusDot } from "./sessions/status.tsx"
import { useStore } from "./store.ts"
import { Dialog } from "./ui/dialog.tsx"
import { Icon, type IconName } from "./ui/icon.tsx"
import { toggleTheme } from "./ui/theme.ts"
import { titleOf } from "./ui/words.ts"

interface Entry {
  key: string
  label: string
  hint: string
  icon: IconName | ReturnType<typeof lookOf>
  run: () => void
}

const looks = new Set(["waits", "running", "idle", "ended", "failed"])

/** Sessions, places and commands by their words. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { list } = useDaemon()
  const { sessions } = useStore(list)
  const { session } = useRoute()
  const [text, setText] = useState("")
  const [at, setAt] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const entries = useMemo(() => {
    const words = text.trim().toLowerCase()
    const all: Entry[] = [
      { key: "new", label: "New session", hint: "", icon: "plus", run: () => go({ place: "new" }) },
      { key: "agents", label: "Agents", hint: "", icon: "agents", run: () => go({ place: "agents" }) },
      { key: "theme", label: "Light or dark", hint: "", icon: "sun", run: toggleTheme },
      ...(session === undefined
        ? []
        : tabs.map(
            ({ id: tab }): Entry => ({
              key: `tab ${tab}`,
              label: `Show ${tab}`,
              hint: "side panel",
              icon: "panel",
              run: () => adjust({ tab }),
            }),
          )),
    ]
    const commands = all.filter(({ label }) => label.toLowerCase().includes(words))
    const found = sessions
      .filter((one) => matches(one, text))
      .slice(0, 30)
      .map(
        (one): Entry => ({
          key: one.id,
          label: titleOf(one),
          hint: `${one.agent} ${one.directory.split("/").slice(-2).join("/")}`,
          icon: lookOf(one),
          run: () => go({ session: one.id }),
        }),
      )
    // Any session can be opened by its id, listed or not.
    const byId: Entry[] =
      /^[\w.:-]{3,128}$/.test(text.trim()) && found.length === 0
        ? [
            {
              key: "id",
              label: `Open session ${text.trim()}`,
              hint: "by its id",
              icon: "chat",
              run: () => go({ session: text.trim() }),
            },
          ]
        : []
    return [...found, ...commands, ...byId]
  }, [sessions, text, session])
  const chosen = Math.min(at, entries.length - 1)
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return
    onClose()
    entry.run()
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === "Enter") run(entries[chosen])
    else if (step === undefined) return
    else setAt((chosen + step + entries.length) % Math.max(1, entries.length))
    event.preventDefault()
    box.current?.querySelectorAll('[role="option"]')[chosen + (step ?? 0)]?.scrollIntoView({ block: "nearest" })
  }
  return (
    <Dialog title="Search" onClose={onClose} begin={input} bare>
      <div className="palette">
        <label className="search">
          <Icon name="search" />
          <input
            ref={input}
            role="combobox"
            aria-label="Search sessions and commands"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={entries[chosen] ? `palette-${chosen}` : undefined}
            placeholder="Sessions, places, commands"
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              setAt(0)
            }}
            onKeyDown={onKeyDown}
          />
        </label>
        <div id="palette-list" role="listbox" aria-label="Found" ref={box}>
          {entries.map((entry, i) => (
            <button
              key={entry.key}
              id={`palette-${i}`}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={i === chosen}
              onClick={() => run(entry)}
            >
              {looks.has(entry.icon) ? (
                <StatusDot look={entry.icon as "idle"} />
              ) : (
                <Icon name={entry.icon as IconName} size={14} />
              )}
              <span>{entry.label}</span>
              <small>{entry.hint}</small>
            </button>
          ))}
        </div>
        {entries.length === 0 && <p className="empty">Nothing has these words.</p>}
      </div>
    </Dialog>
  )
}
