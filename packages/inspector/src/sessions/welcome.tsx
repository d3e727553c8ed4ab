import { useState } from "react"
import { useDaemon } from "../daemon-context.ts"
import { go } from "../route.ts"
import { useStore } from "../store.ts"
import { Icon } from "../ui/icon.tsx"
import { failed } from "../ui/notices.tsx"

const hello =
  "# Hello\n\nThis is the **mock** agent. Every word came as an event of its own.\n\n- `/permission ls` asks before it runs\n- `/edit a.txt hello` shows a diff\n- `/todo`, `/subagent`, `/question` do what they say"

/** What the middle shows when nothing is chosen. The first visit begins here. */
export function Welcome() {
  const daemon = useDaemon()
  const { sessions, loading } = useStore(daemon.list)
  const [busy, setBusy] = useState(false)
  const tryMock = async () => {
    setBusy(true)
    try {
      const session = await daemon.client.startSession({ agent: "mock", title: "Trying the mock agent" })
      if (session.created) daemon.list.put(session.created.session)
      await session.send(hello)
      go({ session: session.id })
    } catch (error) {
      failed(error)
    } finally {
      setBusy(false)
    }
  }
  if (loading) return null
  return (
    <div className="middle-note">
      <Icon name="agents" size={28} />
      <h1>{sessions.length === 0 ? "Every coding agent, one page" : "Choose a session"}</h1>
      <p>
        {sessions.length === 0
          ? "See what an agent does, why it waits and what it would change. The mock agent needs no account."
          : "Or begin a new one."}
      </p>
      <div className="tries">
        <button type="button" className="primary" disabled={busy} onClick={() => void tryMock()}>
          Try the mock agent
        </button>
        <button type="button" onClick={() => go({ place: "new" })}>
          New session
        </button>
      </div>
    </div>
  )
}
