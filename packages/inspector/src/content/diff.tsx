import { memo, useMemo, useState } from "react"
import { kept, useStore } from "../store.ts"
import { Icon } from "../ui/icon.tsx"
import { copyText } from "../ui/notices.tsx"
import { Path, within } from "../ui/path.tsx"
import { counted, type DiffLine, diffLines, sideRows } from "./diff-lines.ts"

const layout = kept<"unified" | "split">("diff", "unified")
/** Until all of it is asked for. */
const firstLines = 300

const sign = { add: "+", remove: "−", same: " ", hunk: "", note: "" }

/** `directory`: what `path` is told from. */
export const Diff = memo(
  ({ diff, path, directory }: { diff: string; path?: string; directory?: string | undefined }) => {
    const how = useStore(layout)
    const [all, setAll] = useState(false)
    const lines = useMemo(() => diffLines(diff), [diff])
    const { added, removed } = useMemo(() => counted(lines), [lines])
    const shown = all ? lines : lines.slice(0, firstLines)
    return (
      <figure className="diff" aria-label={`Diff${path ? ` of ${path}` : ""}, ${added} added, ${removed} removed`}>
        <figcaption>
          <Path path={path ?? "Diff"} shown={within(path ?? "Diff", directory)} />
          <span className="added">+{added}</span>
          <span className="removed">−{removed}</span>
          <button
            type="button"
            className="quiet"
            onClick={() => layout.set(how === "split" ? "unified" : "split")}
            aria-pressed={how === "split"}
          >
            Side by side
          </button>
          <button type="button" className="icon-button" aria-label="Copy diff" onClick={() => void copyText(diff)}>
            <Icon name="copy" size={14} />
          </button>
        </figcaption>
        <div className="diff-body" tabIndex={0} role="group" aria-label="Lines of the diff">
          {how === "split" ? <Split lines={shown} /> : <Unified lines={shown} />}
        </div>
        {shown.length < lines.length && (
          <button type="button" className="quiet fold" onClick={() => setAll(true)}>
            Show {lines.length - shown.length} more lines
          </button>
        )}
      </figure>
    )
  },
)

function Unified({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <table className="unified">
      <tbody>
        {lines.map((line, at) => (
          <tr key={at} className={line.kind}>
            <td className="number">{line.before ?? ""}</td>
            <td className="number">{line.after ?? ""}</td>
            <td className="sign">{sign[line.kind]}</td>
            <td className="line">{line.text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Split({ lines }: { lines: readonly DiffLine[] }) {
  const rows = useMemo(() => sideRows(lines), [lines])
  const side = (line: DiffLine | undefined, number: number | undefined) => (
    <>
      <td className={`number ${line?.kind ?? "none"}`}>{number ?? ""}</td>
      <td className={`line ${line?.kind ?? "none"}`}>{line?.text ?? ""}</td>
    </>
  )
  return (
    <table className="split">
      <tbody>
        {rows.map(({ left, right, whole }, at) => (
          <tr key={at} className={whole?.kind}>
            {whole ? (
              <td colSpan={4} className="line">
                {whole.text}
              </td>
            ) : (
              <>
                {side(left, left?.before)}
                {side(right, right?.after)}
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
