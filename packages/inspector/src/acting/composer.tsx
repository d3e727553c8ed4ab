import { useEffect, useRef, useState } from "react"
import type { Agent, Session, SessionInfo } from "sandbox-agent"
import { useDaemon } from "../daemon-context.ts"
import { hasFiles } from "../ui/dragged.ts"
import { Icon } from "../ui/icon.tsx"
import { attempt, failed } from "../ui/notices.tsx"
import { bytes, commandKey, plural } from "../ui/words.ts"
import { type Attached, attachmentOf } from "./attachments.ts"
import { draftOf, keepDraft } from "./drafts.ts"
import { Settings } from "./settings.tsx"
import { takeSpeakNext } from "./speak-next.ts"

/** What was sent from here and may wait, by message: the daemon tells only that something waits. */
const sent = new Map<string, string>()
/** More than a queue holds; those sent first are forgotten. */
const mostSent = 200

type Outgoing = {
  readonly text: string
  readonly attached: readonly Attached[]
  readonly delivery: "steer" | undefined
}

export function Composer({ session, info, agent }: { session: Session; info: SessionInfo; agent: Agent | undefined }) {
  const { client, list } = useDaemon()
  const [text, setText] = useState(() => draftOf(session.id))
  const [attached, setAttached] = useState<readonly Attached[]>([])
  const waiting = useRef<Outgoing[]>([])
  const [sending, setSending] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const runs = info.status === "running" || info.status === "waiting"
  useEffect(() => {
    if (takeSpeakNext()) box.current?.focus()
  }, [])
  const type = (value: string) => {
    keepDraft(session.id, value)
    setText(value)
  }
  const add = (files: Iterable<File>) =>
    attempt(Promise.all([...files].map(attachmentOf)).then((more) => setAttached((all) => [...all, ...more])))
  // One types on while a message is on its way: the box is emptied at once, and those sent meanwhile follow in order.
  const send = (delivery?: "steer") => {
    if (text.trim() === "" && attached.length === 0) return
    waiting.current.push({ text, attached, delivery })
    type("")
    setAttached([])
    box.current?.focus()
    if (waiting.current.length === 1) void sendWaiting()
  }
  const sendWaiting = async () => {
    setSending(true)
    try {
      for (let next = waiting.current[0]; next; next = waiting.current[0]) {
        const { messageId } = await client.postMessage(session.id, {
          message: next.text,
          ...(next.attached.length > 0 && { attachments: next.attached.map(({ attachment }) => attachment) }),
          ...(next.delivery && { delivery: next.delivery }),
        })
        if (sent.size >= mostSent) sent.delete(sent.keys().next().value ?? "")
        sent.set(messageId, next.text)
        waiting.current.shift()
      }
    } catch (error) {
      failed(error)
      const unsent = waiting.current.splice(0)
      const texts = [...unsent.map((one) => one.text), draftOf(session.id)]
      type(texts.filter((one) => one !== "").join("\n"))
      setAttached((all) => [...unsent.flatMap((one) => one.attached), ...all])
    } finally {
      setSending(false)
      list.ask(session.id)
    }
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send(event.metaKey || event.ctrlKey ? "steer" : undefined)
  }
  if (info.status === "ended")
    return (
      <div className="composer ended">
        <span className="soft">This session has ended.</span>
        <button type="button" className="primary" onClick={() => attempt(session.resume())}>
          <Icon name="play" size={14} /> Resume
        </button>
      </div>
    )
  return (
    <form
      className="composer"
      aria-label="Message"
      aria-busy={sending}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onDragOver={(event) => hasFiles(event.dataTransfer) && event.preventDefault()}
      onDrop={(event) => {
        if (!hasFiles(event.dataTransfer)) return
        event.preventDefault()
        add(event.dataTransfer.files)
      }}
    >
      {info.queue.length > 0 && <Queue session={session} queue={info.queue} />}
      {attached.length > 0 && (
        <ul className="attached">
          {attached.map((one, at) => (
            <li key={at}>
              <Icon name="file" size={14} /> {one.name} <small>{bytes(one.size)}</small>
              <button
                type="button"
                className="icon-button"
                aria-label={`Remove ${one.name}`}
                onClick={() => setAttached((all) => all.filter((_, i) => i !== at))}
              >
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={box}
        rows={2}
        value={text}
        aria-label="Message to the agent"
        placeholder={
          runs
            ? "Add to the queue"
            : agent?.id === "mock"
              ? "Say something, or try /permission ls, /edit a.txt hello, /todo"
              : "Say what to do"
        }
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return
          event.preventDefault()
          add(event.clipboardData.files)
        }}
      />
      <div className="composer-foot">
        <button
          type="button"
          className="icon-button"
          aria-label="Attach a file"
          onClick={() => picker.current?.click()}
        >
          <Icon name="clip" />
        </button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files to attach"
          onChange={(event) => add(event.target.files ?? [])}
        />
        <Settings session={session} info={info} agent={agent} />
        <div className="composer-actions">
          {runs && (
            <button type="button" onClick={() => attempt(session.cancel())}>
              <Icon name="stop" size={14} /> Stop turn
            </button>
          )}
          {runs && agent?.capabilities.steer && (
            <button
              type="button"
              disabled={text.trim() === ""}
              title={`Into the running turn (${commandKey} Enter)`}
              onClick={() => send("steer")}
            >
              Steer
            </button>
          )}
          <button type="submit" className="primary" disabled={text.trim() === "" && attached.length === 0}>
            <Icon name="send" size={14} /> {runs ? "Queue" : "Send"}
          </button>
        </div>
      </div>
    </form>
  )
}

function Queue({ session, queue }: { session: Session; queue: SessionInfo["queue"] }) {
  const { client } = useDaemon()
  return (
    <div className="queue">
      <span>{plural(queue.length, "message")} in the queue</span>
      <ol>
        {queue.map(({ messageId, position }) => (
          <li key={messageId}>
            <span className="glance" title={sent.get(messageId)}>
              {sent.get(messageId) ?? "Sent from elsewhere"}
            </span>
            <button
              type="button"
              className="quiet"
              onClick={() => attempt(client.withdrawMessage(session.id, messageId))}
            >
              Withdraw {position}
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}
