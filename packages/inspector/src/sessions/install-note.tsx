import { useState } from "react"
import type { Agent, InstallProgress } from "sandbox-agent"
import { useDaemon } from "../daemon-context.ts"
import { failed, notify } from "../ui/notices.tsx"
import { bytes } from "../ui/words.ts"

/** Installs an agent, with what really happens. */
export function InstallNote({ agent, reinstall = false }: { agent: Agent; reinstall?: boolean }) {
  const daemon = useDaemon()
  const [progress, setProgress] = useState<InstallProgress>()
  const [busy, setBusy] = useState(false)
  const install = async () => {
    setBusy(true)
    try {
      const { version } = await daemon.client.installAgent(agent.id, { reinstall, onProgress: setProgress })
      notify(`${agent.name} ${version ?? ""} is installed`)
      await daemon.loadAgents()
    } catch (error) {
      failed(error)
    } finally {
      setBusy(false)
      setProgress(undefined)
    }
  }
  if (!busy)
    return (
      <button type="button" onClick={() => void install()}>
        {reinstall ? "Install again" : `Install ${agent.name}`}
      </button>
    )
  const { phase = "begin", bytes: now = 0, total } = progress ?? {}
  return (
    <div className="progress" role="status">
      <progress aria-label={`Installing ${agent.name}`} {...(total ? { value: now, max: total } : {})} />
      <small>
        {phase} {now > 0 && `${bytes(now)}${total ? ` of ${bytes(total)}` : ""}`}
      </small>
    </div>
  )
}
