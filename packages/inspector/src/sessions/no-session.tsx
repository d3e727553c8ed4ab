import { useEffect, useRef } from "react"
import { ProblemError, type SandboxAgentError } from "sandbox-agent"
import { draftOf } from "../acting/drafts.ts"
import { go } from "../route.ts"
import { Icon } from "../ui/icon.tsx"
import { copyText } from "../ui/notices.tsx"

/** The daemon does not have it, or not any more. */
export const isGone = (error: SandboxAgentError | undefined): boolean =>
  error instanceof ProblemError && error.status === 404

/** In place of a session that cannot be shown. `wasShown`: it was here until now. */
export function NoSession({ id, error, wasShown }: { id: string; error: SandboxAgentError; wasShown: boolean }) {
  const back = useRef<HTMLButtonElement>(null)
  // What had the focus is gone with the session, unless it was elsewhere.
  useEffect(() => {
    if (document.activeElement === document.body) back.current?.focus()
  }, [])
  const draft = draftOf(id)
  const [title, text] = !isGone(error)
    ? ["This session cannot be shown", error.message]
    : wasShown
      ? ["This session was deleted", "It was deleted elsewhere while it was open here, and its transcript with it."]
      : ["This session cannot be shown", "This daemon has no such session. It was deleted, or its address is wrong."]
  return (
    <div className="middle-note" role="alert">
      <Icon name={wasShown ? "trash" : "alert"} size={24} />
      <h1>{title}</h1>
      <p>{text}</p>
      <div className="tries">
        <button type="button" ref={back} onClick={() => go({})}>
          All sessions
        </button>
        {draft !== "" && (
          <button type="button" onClick={() => void copyText(draft)}>
            <Icon name="copy" size={14} /> Copy what you typed
          </button>
        )}
      </div>
    </div>
  )
}
