import { memo } from "react"
import type { ContentPart, Item, Session } from "sandbox-agent"
import { CodeBlock } from "../content/code-block.tsx"
import { Diff } from "../content/diff.tsx"
import { Markdown } from "../content/markdown.tsx"
import { Output } from "../content/output.tsx"
import { Picture } from "../content/picture.tsx"
import { Icon } from "../ui/icon.tsx"
import { Elapsed } from "./elapsed.tsx"
import { useOpened } from "./opened.ts"

/** Everything but tool calls. */
export const ItemBody = memo(({ session, item }: { session: Session; item: Item }) => {
  if (item.kind === "status" || item.kind === "system") return <Note item={item} />
  if (item.kind === "unknown") return <Unknown item={item} />
  const who = item.role === "user" ? "You" : item.role === "system" ? "System" : "Agent"
  return (
    <div className={`message ${item.role ?? "assistant"}`} role="group" aria-label={who}>
      {item.late && <span className="tag">late</span>}
      {item.content.map((part, at) => (
        <Part key={at} part={part} item={item} session={session} />
      ))}
      {item.status === "failed" && <p className="cut">Cut off here.</p>}
    </div>
  )
})

function Part({ part, item, session }: { part: ContentPart; item: Item; session: Session }) {
  switch (part.type) {
    case "text":
      return item.role === "user" ? (
        <p className="plain">{part.text}</p>
      ) : (
        <Markdown text={part.text} growing={item.status === "in_progress"} />
      )
    case "reasoning":
      return <Reasoning text={part.text} item={item} session={session} />
    case "image":
      return <Picture session={session} blob={part.blob} path={part.path} mime={part.mime} />
    case "file_ref":
      return part.diff ? (
        <Diff diff={part.diff} path={part.path} directory={session.transcript.getSnapshot().session?.directory} />
      ) : (
        <p className="attachment">
          <Icon name="file" size={14} /> <span className="path">{part.path}</span>
        </p>
      )
    case "json":
      return <CodeBlock code={JSON.stringify(part.json, null, 2)} language="json" />
    case "tool_result":
      return <Output text={part.output} />
    case "tool_call":
      return <CodeBlock code={part.arguments} language="json" />
    case "status":
      return <NoteLine label={part.label} detail={part.detail} />
  }
}

function Reasoning({ text, item, session }: { text: string; item: Item; session: Session }) {
  const [open, toggle] = useOpened(item.item_id, false)
  const runs = item.status === "in_progress"
  return (
    <details className="reasoning" open={open}>
      <summary
        onClick={(event) => {
          event.preventDefault()
          toggle()
        }}
      >
        <Icon name="chevron" size={14} />
        <Icon name="brain" />
        <span>{runs ? "Thinking" : "Thought"}</span>
        <Elapsed session={session} from={item.item_id} to={item.item_id} runs={runs} />
        {!open && <span className="glance">{text.slice(-160).replaceAll(/\s+/g, " ")}</span>}
      </summary>
      {open && <Markdown text={text} growing={runs} />}
    </details>
  )
}

function Note({ item }: { item: Item }) {
  return item.content.map((part, at) =>
    part.type === "status" ? (
      <NoteLine key={at} label={part.label} detail={part.detail} failed={item.status === "failed"} />
    ) : part.type === "text" ? (
      <NoteLine key={at} label="System" detail={part.text} />
    ) : null,
  )
}

function NoteLine({ label, detail, failed = false }: { label: string; detail?: string | undefined; failed?: boolean }) {
  const bad = failed || /fail|error/i.test(label)
  return (
    <p className={`note ${bad ? "bad" : ""}`}>
      <Icon name={bad ? "alert" : "hand"} size={14} />
      <b>{label}</b> <span>{detail}</span>
    </p>
  )
}

function Unknown({ item }: { item: Item }) {
  return (
    <details className="tool">
      <summary>
        <Icon name="chevron" size={14} />
        <Icon name="hand" />
        <b>Unknown to the daemon</b>
        <span className="argument">kept as the agent said it</span>
      </summary>
      <CodeBlock code={JSON.stringify(item.content, null, 2)} language="json" />
    </details>
  )
}
