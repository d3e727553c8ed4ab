import { useEffect, useRef, useState } from "react"
import type { Permission, PermissionReply, Session } from "sandbox-agent"
import { CodeBlock } from "../content/code-block.tsx"
import { Diff } from "../content/diff.tsx"
import { Icon } from "../ui/icon.tsx"
import { attempt } from "../ui/notices.tsx"
import { hasOwnKeys } from "../ui/own-keys.ts"

const labels: Record<PermissionReply, [label: string, key: string]> = {
  once: ["Allow once", "y"],
  always: ["Always allow", "a"],
  reject: ["Reject", "n"],
}

/** What a command or a diff does not show by itself. */
const besides = ["paths", "input", "content", "permissions", "network", "grantRoot"]

/** First what will happen, then who asks, then the answers. Nothing is chosen beforehand. */
export function PermissionCard({
  session,
  permission,
  agent,
  first,
}: {
  session: Session
  permission: Permission
  agent: string
  first: boolean
}) {
  const [rejecting, setRejecting] = useState(false)
  const [reason, setReason] = useState("")
  const [sent, setSent] = useState(false)
  const card = useRef<HTMLElement>(null)
  const { kind, detail = {}, choices, action } = permission
  const reply = (answer: PermissionReply, message?: string) => {
    setSent(true)
    const work = session.replyPermission(permission.permission_id, { reply: answer, ...(message && { message }) })
    attempt(
      work.catch((error: unknown) => {
        setSent(false)
        throw error
      }),
    )
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const typing = (event.target as Element).closest("input, textarea, select, [contenteditable]")
    if (typing || event.metaKey || event.ctrlKey || event.altKey || hasOwnKeys(event.target as Element)) return
    const answer = choices.find((choice) => labels[choice][1] === event.key)
    if (answer === undefined) return
    event.preventDefault()
    if (answer === "reject") setRejecting(true)
    else reply(answer)
  }
  const latest = useRef(onKeyDown)
  latest.current = onKeyDown
  useEffect(() => {
    if (!first || sent) return
    const listen = (event: KeyboardEvent) => latest.current(event)
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [first, sent])
  const directory = session.transcript.getSnapshot().session?.directory
  const { command, path, diff, ...others } = detail as Record<string, unknown>
  const shown = typeof command === "string" || typeof diff === "string"
  const more = shown ? Object.fromEntries(Object.entries(others).filter(([name]) => besides.includes(name))) : others
  return (
    <section className="card waits" ref={card} tabIndex={-1} aria-label={`Permission: ${action}`}>
      {typeof command === "string" && <pre className="command">{command}</pre>}
      {typeof diff === "string" && (
        <Diff diff={diff} directory={directory} {...(typeof path === "string" && { path })} />
      )}
      {typeof diff !== "string" && typeof path === "string" && <p className="path mono">{path}</p>}
      {Object.keys(more).length > 0 && <CodeBlock code={JSON.stringify(more, null, 2)} language="json" />}
      <p className="asks">
        <Icon name="hand" />
        <span>
          <b>{agent}</b> asks to {asked(kind, action)}
          {permission.reason && <span className="soft"> · {permission.reason}</span>}
        </span>
      </p>
      {rejecting ? (
        <form
          className="answers"
          onSubmit={(event) => {
            event.preventDefault()
            reply("reject", reason.trim())
          }}
        >
          <input
            autoFocus
            aria-label="Why not"
            placeholder="Why not (optional)"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <button type="submit" disabled={sent}>
            Reject
          </button>
          <button type="button" className="quiet" onClick={() => setRejecting(false)}>
            Back
          </button>
        </form>
      ) : (
        <div className="answers">
          {choices.map((choice) => (
            <button
              key={choice}
              type="button"
              disabled={sent}
              className={choice === "once" ? "primary" : ""}
              title={choice === "always" ? always(kind) : undefined}
              onClick={() => (choice === "reject" ? setRejecting(true) : reply(choice))}
            >
              {labels[choice][0]} {first && <kbd>{labels[choice][1]}</kbd>}
            </button>
          ))}
          {choices.includes("always") && <small className="soft">{always(kind)}</small>}
        </div>
      )}
    </section>
  )
}

const asked = (kind: Permission["kind"], action: string): string =>
  kind === "command" ? "run this command" : kind === "file_change" ? "change this file" : action

/** What `always` would allow, in words. */
const always = (kind: Permission["kind"]): string =>
  ({
    command: "Always: this very command, until the session ends.",
    file_change: "Always: changes of this file, until the session ends.",
    tool: "Always: this tool, until the session ends.",
    network: "Always: this address, until the session ends.",
    other: "Always: the same again, until the session ends.",
  })[kind]
