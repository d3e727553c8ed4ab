import { lazy, type ReactNode, Suspense } from "react"
import { useDaemon } from "../daemon-context.ts"
import { adjust } from "../route.ts"
import { Icon } from "../ui/icon.tsx"
import { Details } from "./details.tsx"
import { type TabId, tabs } from "./tabs.ts"

const EventLog = lazy(() => import("../hood/event-log.tsx").then((module) => ({ default: module.EventLog })))
const HttpLog = lazy(() => import("../hood/http-panel.tsx").then((module) => ({ default: module.HttpPanel })))
const Timeline = lazy(() => import("../hood/timeline.tsx").then((module) => ({ default: module.Timeline })))
const Files = lazy(() => import("../machine/files.tsx").then((module) => ({ default: module.Files })))
const Processes = lazy(() => import("../machine/processes.tsx").then((module) => ({ default: module.Processes })))
const Terminals = lazy(() => import("../machine/terminals.tsx").then((module) => ({ default: module.Terminals })))
const Metrics = lazy(() => import("../machine/metrics.tsx").then((module) => ({ default: module.Metrics })))

/** What lies under a session, and the machine it runs on. `gone`: the daemon has the session no more. */
export function SidePanel(props: {
  tab: string
  session: string | undefined
  gone: boolean
  children: ReactNode
  alone: boolean
}) {
  const { tab, session: id, gone, children, alone } = props
  const daemon = useDaemon()
  const named = id === undefined ? undefined : daemon.session(id)
  const session = gone ? undefined : named
  const hasSession = session !== undefined
  const shown =
    tabs.find((one) => one.id === tab && (hasSession || !one.needsSession)) ??
    tabs.find((one) => hasSession || !one.needsSession)
  const body = (what: TabId | undefined) => {
    if (what === "http") return <HttpLog />
    // Where one was in them, and what is being edited, stays.
    if (what === "files") return <Files session={named} />
    if (what === "processes") return <Processes session={session} />
    if (what === "terminal") return <Terminals session={session} />
    if (what === "metrics") return <Metrics />
    if (session === undefined) return null
    if (what === "events") return <EventLog key={session.id} session={session} />
    if (what === "timeline") return <Timeline key={session.id} session={session} />
    return <Details session={session} />
  }
  return (
    <div className="panel" aria-label="Side panel" role={alone ? "main" : "complementary"}>
      {alone && <h1 className="said">{shown?.label}</h1>}
      {children}
      <div className="tabs">
        <div role="tablist" aria-label="Side panel" onKeyDown={(event) => turn(event, shown?.id, hasSession)}>
          {tabs.map((one) => (
            <button
              key={one.id}
              type="button"
              role="tab"
              id={`tab-${one.id}`}
              aria-selected={one.id === shown?.id}
              aria-controls="panel-body"
              tabIndex={one.id === shown?.id ? 0 : -1}
              disabled={one.needsSession && !hasSession}
              onClick={() => adjust({ tab: one.id })}
            >
              {one.label}
            </button>
          ))}
        </div>
        <button
          type="button"
          className="icon-button"
          aria-label="Close the side panel"
          onClick={() => adjust({ tab: undefined })}
        >
          <Icon name="close" />
        </button>
      </div>
      <div className="panel-body" id="panel-body" role="tabpanel" aria-labelledby={`tab-${shown?.id}`}>
        <Suspense fallback={<div className="shape late" />}>{body(shown?.id)}</Suspense>
      </div>
    </div>
  )
}

/** Arrows go to the next tab that can be opened, round and round. */
function turn(event: React.KeyboardEvent, now: TabId | undefined, hasSession: boolean): void {
  const open = tabs.filter((one) => hasSession || !one.needsSession)
  const at = open.findIndex((one) => one.id === now)
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key]
  const tab = to === undefined ? undefined : open.at(to % open.length)
  if (tab === undefined) return
  event.preventDefault()
  adjust({ tab: tab.id })
  document.getElementById(`tab-${tab.id}`)?.focus()
}
