import { useCallback, useEffect, useState } from "react"
import { Bar } from "./bar.tsx"
import { warmUp } from "./content/blocks.ts"
import { useDaemon } from "./daemon-context.ts"
import { Keys } from "./keys.tsx"
import { Palette } from "./palette.tsx"
import { SidePanel } from "./panel/side-panel.tsx"
import { adjust, hashOf, useRoute } from "./route.ts"
import { AgentsPage } from "./sessions/agents-page.tsx"
import { NewSession } from "./sessions/new-session.tsx"
import { SessionPane } from "./sessions/session-pane.tsx"
import { SessionView } from "./sessions/session-view.tsx"
import { useWaiting } from "./sessions/waiting.ts"
import { Welcome } from "./sessions/welcome.tsx"
import { kept, useMedia, useStore } from "./store.ts"
import { Icon } from "./ui/icon.tsx"
import { attempt } from "./ui/notices.tsx"
import { PaneEdge } from "./ui/pane-edge.tsx"

const widths = kept("panes", { left: 272, right: 512 })

/** Three panes; on a narrow screen one of them at a time. */
export function Workspace() {
  const daemon = useDaemon()
  const { session, place, tab, find } = useRoute()
  const { left, right } = useStore(widths)
  const [palette, setPalette] = useState(false)
  const [gone, setGone] = useState<string>()
  const [round, setRound] = useState(0)
  const onGone = useCallback((isGone: boolean) => setGone(isGone ? session : undefined), [session])
  const onAnother = useCallback(() => {
    if (session !== undefined) daemon.letGo(session)
    setRound((n) => n + 1)
  }, [daemon, session])
  useWaiting()
  useEffect(() => attempt(daemon.loadAgents()), [daemon])
  useEffect(() => {
    if (!("requestIdleCallback" in window)) return warmUp()
    const idle = requestIdleCallback(warmUp)
    return () => cancelIdleCallback(idle)
  }, [])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setPalette((open) => !open)
    }
    addEventListener("keydown", onKeyDown)
    return () => removeEventListener("keydown", onKeyDown)
  }, [])
  const { loading, sessions } = useStore(daemon.list)
  // The first visit begins in the middle, also on a phone.
  const isFirst = !loading && sessions.length === 0
  const shown =
    tab !== undefined ? "panel" : session !== undefined || place !== undefined || isFirst ? "middle" : "list"
  const isPhone = useMedia("(max-width: 640px)")
  const sizes = { "--left": `${left}px`, "--right": `${right}px` } as React.CSSProperties
  return (
    <div className={`workspace shows-${shown} ${tab === undefined ? "" : "with-panel"}`} style={sizes}>
      <a
        className="skip"
        href="#middle"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById("middle")?.focus()
        }}
      >
        Skip to the session
      </a>
      <Bar onSearch={() => setPalette(true)} />
      <SessionPane alone={isPhone && shown === "list"}>
        <PaneEdge
          label="Width of the list"
          value={left}
          min={200}
          max={420}
          side="left"
          onChange={(value) => widths.update((all) => ({ ...all, left: value }))}
        />
      </SessionPane>
      <main id="middle" tabIndex={-1}>
        {session !== undefined ? (
          <SessionView
            key={`${session} ${round}`}
            session={daemon.session(session)}
            onGone={onGone}
            onAnother={onAnother}
          />
        ) : place === "new" ? (
          <NewSession />
        ) : place === "agents" ? (
          <AgentsPage />
        ) : (
          <Welcome />
        )}
      </main>
      {tab !== undefined && (
        <SidePanel tab={tab} session={session} gone={session === gone} alone={isPhone}>
          <PaneEdge
            label="Width of the side panel"
            value={right}
            min={320}
            max={900}
            side="right"
            onChange={(value) => widths.update((all) => ({ ...all, right: value }))}
          />
        </SidePanel>
      )}
      <nav className="phone-bar" aria-label="Places">
        <a href={hashOf({ find })} aria-current={shown === "list" ? "page" : undefined}>
          <Icon name="list" /> Sessions
        </a>
        <button
          type="button"
          disabled={session === undefined}
          aria-current={shown === "middle" && session !== undefined ? "page" : undefined}
          onClick={() => adjust({ tab: undefined })}
        >
          <Icon name="chat" /> Transcript
        </button>
        <button
          type="button"
          aria-current={shown === "panel" ? "page" : undefined}
          onClick={() => adjust({ tab: "details" })}
        >
          <Icon name="panel" /> Inspect
        </button>
      </nav>
      <Keys />
      {palette && <Palette onClose={() => setPalette(false)} />}
    </div>
  )
}
