import { useEffect, useState } from "react"
import { useDaemon } from "./daemon-context.ts"
import { adjust, go, type Route, useRoute } from "./route.ts"
import { useLatest } from "./store.ts"
import { Dialog } from "./ui/dialog.tsx"
import { attempt, notify } from "./ui/notices.tsx"
import { hasOwnKeys } from "./ui/own-keys.ts"
import { commandKey } from "./ui/words.ts"

/** After `g`: places. */
const places: Record<string, [words: string, to: Route, within: boolean]> = {
  s: ["sessions", {}, false],
  n: ["new session", { place: "new" }, false],
  a: ["agents", { place: "agents" }, false],
  d: ["details", { tab: "details" }, true],
  e: ["events", { tab: "events" }, true],
  t: ["timeline", { tab: "timeline" }, true],
  h: ["requests", { tab: "http" }, true],
  f: ["files", { tab: "files" }, true],
  p: ["processes", { tab: "processes" }, true],
  c: ["terminals", { tab: "terminal" }, true],
  m: ["metrics", { tab: "metrics" }, true],
}

const keys: [key: string, words: string][] = [
  [`${commandKey} K`, "sessions, places and commands"],
  ["j, k", "next item, item before"],
  ["o", "open or close the item"],
  ["y, a, n", "allow once, always, reject what waits"],
  [`${commandKey} Enter`, "steer: into the running turn"],
  ["Esc Esc", "stop the turn"],
  ["/", "filter sessions"],
  ...Object.entries(places).map(([key, [words]]): [string, string] => [`g ${key}`, words]),
  ["↑, ↓", "choose in a list of events or requests"],
  [`${commandKey} S`, "save the file that is edited"],
  ["?", "this list"],
]

/** How soon the second key of two has to come. */
const pairMs = 2000

/** Keys of the page, wherever nothing is being typed. */
export function Keys() {
  const daemon = useDaemon()
  const { session } = useRoute()
  const [help, setHelp] = useState(false)
  const current = useLatest(session)
  useEffect(() => {
    let before = { key: "", at: 0 }
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as Element
      if (event.metaKey || event.ctrlKey || event.altKey || hasOwnKeys(target)) return
      const typing = target.closest("input, textarea, select") !== null
      const pair = performance.now() - before.at < pairMs ? `${before.key} ${event.key}` : event.key
      before = { key: event.key, at: performance.now() }
      if (event.key === "Escape") {
        // Out of the filter, so that keys are keys again.
        if (target.matches(".sessions input")) document.getElementById("middle")?.focus()
        return stop(pair)
      }
      if (typing) return
      const place = pair.startsWith("g ") ? places[event.key] : undefined
      if (place !== undefined) {
        if (place[2]) adjust(place[1])
        else go(place[1])
        // Where the place begins, once it is drawn: from there Tab leads on.
        const begin = place[2]
          ? '[role="tab"][aria-selected="true"]'
          : place[1].place
            ? "#middle"
            : ".sessions a, .sessions button"
        requestAnimationFrame(() => document.querySelector<HTMLElement>(begin)?.focus())
      } else if (event.key === "?") setHelp(true)
      else if (event.key === "/") document.querySelector<HTMLElement>(".sessions input")?.focus()
      else if (event.key === "j" || event.key === "k") move(event.key === "j" ? 1 : -1)
      else if (event.key === "o") document.activeElement?.closest(".row")?.querySelector("summary")?.click()
      else return
      event.preventDefault()
    }
    const stop = (pair: string) => {
      const id = current.current
      if (id === undefined) return
      // What its own view shows, which the list may be behind.
      const status = daemon.session(id).transcript.getSnapshot().session?.status
      if (status !== "running" && status !== "waiting") return
      if (pair === "Escape Escape") attempt(daemon.client.cancelTurn(id))
      else notify("Press Esc again to stop the turn", { forMs: pairMs })
    }
    addEventListener("keydown", onKeyDown)
    return () => removeEventListener("keydown", onKeyDown)
  }, [daemon, current])
  if (!help) return null
  return (
    <Dialog title="Keys" onClose={() => setHelp(false)}>
      <dl className="facts-list">
        {keys.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

/** The focus to the next row that is drawn; without one, to the last that is seen. */
function move(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>(".transcript .row")].sort(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  )
  const at = rows.indexOf(document.activeElement?.closest<HTMLElement>(".row") ?? document.body)
  const next = at < 0 ? rows.at(-1) : rows[at + step]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: "nearest" })
}
