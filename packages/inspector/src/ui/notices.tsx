import { isSandboxAgentError, ProblemError } from "sandbox-agent"
import { Store, useStore } from "../store.ts"
import { Icon } from "./icon.tsx"

export interface Notice {
  id: number
  text: string
  kind: "plain" | "bad"
  /** `focused`: it takes the focus, where what had it is gone. */
  action?: { label: string; run: () => void; focused?: boolean }
}

const notices = new Store<readonly Notice[]>([])
let last = 0

/** Tells something for a while. Returns what takes it back. */
export function notify(
  text: string,
  options: { kind?: "plain" | "bad"; forMs?: number; action?: Notice["action"] } = {},
) {
  const id = ++last
  const { kind = "plain", forMs = kind === "bad" ? 10_000 : 5_000, action } = options
  notices.update((all) => [...all.slice(-3), { id, text, kind, ...(action && { action }) }])
  const remove = () => notices.update((all) => all.filter((one) => one.id !== id))
  setTimeout(remove, forMs)
  return remove
}

export const failed = (error: unknown): void => {
  if (error instanceof Error && error.name === "AbortError") return
  const text = error instanceof Error ? error.message : String(error)
  const away = isSandboxAgentError(error) && error.kind === "network"
  notify(away ? `${text}. The daemon cannot be reached; try again when it is back.` : text, { kind: "bad" })
}

/** Runs what may fail; a failure is told. */
export const attempt = (work: Promise<unknown>): void => {
  work.catch(failed)
}

/** The same for what removes something: that it is gone already is what was wanted. */
export const attemptRemoval = (work: Promise<unknown>, then?: () => void): void => {
  const done = work.catch((error: unknown) => {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error
  })
  attempt(done.then(then))
}

export async function copyText(text: string, what = "Copied"): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify(what, { forMs: 2000 })
  } catch (error) {
    failed(new Error(`Not copied: ${error instanceof Error ? error.message : String(error)}`))
  }
}

export function Notices() {
  const all = useStore(notices)
  return (
    <div className="notices" role="status">
      {all.map(({ id, text, kind, action }) => (
        <div key={id} className={`notice ${kind}`}>
          {kind === "bad" && <Icon name="alert" />}
          <span>{text}</span>
          {action !== undefined && (
            <button type="button" className="quiet" autoFocus={action.focused} onClick={action.run}>
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  )
}
