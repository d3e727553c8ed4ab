import { useState } from "react"
import type { Agent, InstallProgress } from "sandbox-agent"
import { useDaemon } from "../daemon-context.ts"
import { Icon } from "../ui/icon.tsx"
import { notify } from "../ui/notices.tsx"
import { bytes } from "../ui/words.ts"

/** Installs an agent, with what really happens. */
export function InstallNote({ agent, reinstall = false }: { agent: Agent; reinstall?: boolean }) {
  const daemon = useDaemon()
  const [progress, setProgress] = useState<InstallProgress>()
  const [busy, setBusy] = useState(false)
  /** Stays until it is tried again: a notice would be gone before whoever went away comes back. */
  const [failure, setFailure] = useState<string>()
  const install = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      const { version } = await daemon.client.installAgent(agent.id, { reinstall, onProgress: setProgress })
      notify(`${agent.name} ${version ?? ""} is installed`)
      await daemon.loadAgents()
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
      setProgress(undefined)
    }
  }
  if (!busy)
    return (
      <>
        <button type="button" onClick={() => void install()}>
          {reinstall ? "Install again" : `Install ${agent.name}`}
        </button>
        {failure !== undefined && (
          <p className="note bad install-failure" role="alert">
            <Icon name="alert" size={14} /> <span>{failure}</span>
          </p>
        )}
      </>
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
