import { memo } from "react"
import type { Item, Session } from "sandbox-agent"
import { CodeBlock } from "../content/code-block.tsx"
import { Diff } from "../content/diff.tsx"
import { Output } from "../content/output.tsx"
import { Picture } from "../content/picture.tsx"
import { Icon } from "../ui/icon.tsx"
import { within } from "../ui/path.tsx"
import { plural } from "../ui/words.ts"
import { Elapsed } from "./elapsed.tsx"
import { ItemBody } from "./item-body.tsx"
import { useOpened } from "./opened.ts"
import { callPart, commandOf, iconOf, mainArgument, prettyArguments, resultPart } from "./tool-words.ts"
import { useWaits } from "./waiting-calls.ts"

type Props = { session: Session; item: Item; result: Item | undefined; inside: readonly Item[] }

/** One line when it is closed; failed ones are open. */
export const ToolCall = memo(({ session, item, result, inside }: Props) => {
  const call = callPart(item)
  const said = resultPart(result)
  const failed = item.status === "failed" || result?.status === "failed" || said?.is_error === true
  // Every call gets a result: until then it runs, or waits for a person.
  const runs = !failed && (result === undefined || result.status === "in_progress")
  const waits = useWaits([item, ...inside]) && runs
  const [open, toggle] = useOpened(item.item_id, failed)
  const directory = session.transcript.getSnapshot().session?.directory
  if (call === undefined) return null
  const state = failed ? "failed" : runs ? "running" : said?.detached ? "in the background" : "done"
  return (
    <details className={`tool ${failed ? "failed" : runs ? "runs" : ""}`} open={open}>
      <summary
        onClick={(event) => {
          event.preventDefault()
          toggle()
        }}
      >
        <Icon name="chevron" size={14} />
        <Icon name={iconOf(call)} />
        <b>{call.name}</b>
        <span className="argument">{within(mainArgument(call), directory)}</span>
        {inside.length > 0 && <span className="soft">{insideWords(inside, runs)}</span>}
        {waits ? (
          <span className="state wait">
            <Icon name="hand" size={14} /> waits for you
          </span>
        ) : (
          <span className={`state ${failed ? "bad" : runs ? "" : "ok"}`}>
            {failed ? (
              <Icon name="close" size={14} />
            ) : runs ? (
              <span className="spin" />
            ) : (
              <Icon name="check" size={14} />
            )}
            <span className="said">{state}</span>
          </span>
        )}
        <Elapsed session={session} from={item.item_id} to={(result ?? item).item_id} runs={runs} />
      </summary>
      {open && <Inside session={session} item={item} result={result} inside={inside} />}
    </details>
  )
})

const insideWords = (inside: readonly Item[], runs: boolean): string => {
  const last = inside.at(-1)
  const call = last === undefined ? undefined : callPart(last)
  return runs && call !== undefined ? `${call.name} ${mainArgument(call)}`.slice(0, 60) : plural(inside.length, "step")
}

function Inside({ session, item, result, inside }: Props) {
  const call = callPart(item)
  const said = resultPart(result)
  const others = [...item.content, ...(result?.content ?? [])]
  const diffs = others.flatMap((part) => (part.type === "file_ref" && part.diff ? [part] : []))
  const command = call && commandOf(call)
  const directory = session.transcript.getSnapshot().session?.directory
  return (
    <div className="tool-body">
      {command !== undefined ? (
        <pre className="command">{command}</pre>
      ) : (
        // The diff says what would be written, and better.
        diffs.length === 0 &&
        call &&
        call.arguments.length > 2 && <CodeBlock code={prettyArguments(call)} language="json" />
      )}
      {diffs.map((part) => (
        <Diff key={part.path} diff={part.diff ?? ""} path={part.path} directory={directory} />
      ))}
      {inside.length > 0 && <SubAgent session={session} items={inside} />}
      {others.map((part, at) =>
        part.type === "image" ? (
          <Picture key={at} session={session} blob={part.blob} path={part.path} mime={part.mime} />
        ) : null,
      )}
      {said !== undefined && said.output !== "" && <Output text={said.output} />}
      {said?.truncated && <p className="soft">The daemon kept the beginning and the end of it.</p>}
      {said !== undefined && said.output === "" && diffs.length === 0 && <p className="soft">No output.</p>}
    </div>
  )
}

/** What a sub-agent did, under the call that started it. */
function SubAgent({ session, items }: { session: Session; items: readonly Item[] }) {
  const results = new Map(items.flatMap((item) => resultPart(item)?.call_id ?? []).map((id) => [id, true]))
  const calls = new Map(
    items.flatMap((item) => (item.kind === "tool_call" ? [[callPart(item)?.call_id, item]] : [])) as [string, Item][],
  )
  return (
    <div className="sub-agent" role="group" aria-label="Sub-agent">
      {items.map((item) => {
        const said = resultPart(item)
        if (item.kind === "tool_result" && said !== undefined && calls.has(said.call_id)) return null
        if (item.kind !== "tool_call") return <ItemBody key={item.item_id} session={session} item={item} />
        const id = callPart(item)?.call_id ?? ""
        const own = results.has(id) ? items.find((one) => resultPart(one)?.call_id === id) : undefined
        return <ToolCall key={item.item_id} session={session} item={item} result={own} inside={[]} />
      })}
    </div>
  )
}
