import { useState } from "react"
import type { Agent, Session, SessionInfo, TranscriptState } from "sandbox-agent"
import { speakNext } from "../acting/speak-next.ts"
import { useDaemon } from "../daemon-context.ts"
import { adjust, go, useRoute } from "../route.ts"
import { markdownOf } from "../transcript/as-markdown.ts"
import { Icon } from "../ui/icon.tsx"
import { Menu, type MenuEntry } from "../ui/menu.tsx"
import { attempt, copyText } from "../ui/notices.tsx"
import { Path } from "../ui/path.tsx"
import { cost, count, titleOf } from "../ui/words.ts"
import { deleteWithUndo } from "./deletion.ts"
import { lookOf, StatusDot, wordOf } from "./status.tsx"

type Props = { session: Session; info: SessionInfo; agent: Agent | undefined; state: TranscriptState }

export function SessionHead({ session, info, agent, state }: Props) {
  const { client, list } = useDaemon()
  const { tab } = useRoute()
  const [renaming, setRenaming] = useState(false)
  const live = { ...info, pending: { permissions: state.permissions.length, questions: state.questions.length } }
  const title = titleOf(info)
  const fork = async () => {
    const made = await session.fork({ title: `${title} (fork)`.slice(0, 200) })
    list.ask(made.id)
    speakNext()
    go({ session: made.id })
  }
  /** Also what is not loaded yet. */
  const copyAll = async () => {
    const items = state.hasOlder ? (await client.listItems(info.id)).items : state.items
    await copyText(markdownOf(items))
  }
  const entries: MenuEntry[] = [
    { label: "Rename", icon: "edit", run: () => setRenaming(true) },
    { label: "Copy as markdown", icon: "copy", run: () => attempt(copyAll()) },
    { label: "Copy session id", icon: "copy", run: () => void copyText(info.id) },
    ...(agent?.capabilities.fork ? [{ label: "Fork", icon: "fork" as const, run: () => attempt(fork()) }] : []),
    info.status === "ended"
      ? { label: "Resume", icon: "play", run: () => attempt(session.resume()) }
      : { label: "Terminate", icon: "stop", run: () => attempt(session.terminate()) },
    {
      label: "Delete",
      icon: "trash",
      bad: true,
      run: () => {
        deleteWithUndo(client, info.id, title)
        go({})
      },
    },
  ]
  return (
    <header className="session-head">
      <div className="session-name">
        {renaming ? (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              const value = String(new FormData(event.currentTarget).get("title")).trim()
              setRenaming(false)
              attempt(client.patchSession(info.id, { title: value }).then(() => list.ask(info.id)))
            }}
          >
            <input
              autoFocus
              name="title"
              aria-label="Title"
              defaultValue={info.title ?? ""}
              maxLength={1000}
              onBlur={() => setRenaming(false)}
              onKeyDown={(event) => event.key === "Escape" && setRenaming(false)}
            />
          </form>
        ) : (
          <h1 title={info.id}>{title}</h1>
        )}
        <p>
          <span className="status-word">
            <StatusDot look={lookOf(live)} /> <span role="status">{wordOf(live)}</span>
          </span>
          <span>{agent?.name ?? info.agent}</span>
          {info.model && <span>{info.model}</span>}
          <Path path={info.directory} />
          <UsageLine usage={info.usage} />
        </p>
      </div>
      <button
        type="button"
        className="icon-button"
        aria-label={tab === undefined ? "Open the side panel" : "Close the side panel"}
        aria-expanded={tab !== undefined}
        onClick={() => adjust({ tab: tab === undefined ? "details" : undefined })}
      >
        <Icon name="panel" />
      </button>
      <Menu label="Actions of this session" entries={entries} />
    </header>
  )
}

function UsageLine({ usage }: { usage: SessionInfo["usage"] }) {
  if (usage === undefined) return null
  const tokens = usage.input_tokens + usage.output_tokens
  const full =
    usage.context_used !== undefined && usage.context_size ? usage.context_used / usage.context_size : undefined
  return (
    <>
      {tokens > 0 && <span title={`${usage.input_tokens} in, ${usage.output_tokens} out`}>{count(tokens)} tokens</span>}
      {usage.cost_usd !== undefined && <span>{cost(usage.cost_usd)}</span>}
      {full !== undefined && (
        <span title={`${usage.context_used} of ${usage.context_size} tokens`}>context {Math.round(full * 100)} %</span>
      )}
    </>
  )
}
