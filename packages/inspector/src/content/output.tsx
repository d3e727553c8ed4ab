import { memo, useMemo, useState } from "react"
import { plural } from "../ui/words.ts"
import { ansi } from "./ansi.ts"

const headLines = 30
const tailLines = 30

/** What a program wrote. Of much of it the head and the tail, until all is asked for. */
export const Output = memo(({ text, label = "Output" }: { text: string; label?: string }) => {
  const [all, setAll] = useState(false)
  const { head, tail, left } = useMemo(() => parts(text), [text])
  return (
    <pre className="output" tabIndex={0} role="group" aria-label={label}>
      {all || left === 0 ? (
        <Ansi text={text} />
      ) : (
        <>
          <Ansi text={head} />
          <button type="button" className="quiet fold" onClick={() => setAll(true)}>
            Show {plural(left, "more line")}
          </button>
          <Ansi text={tail} />
        </>
      )}
    </pre>
  )
})

function parts(text: string): { head: string; tail: string; left: number } {
  const lines = text.split("\n")
  const left = lines.length - headLines - tailLines
  if (left <= 10) return { head: text, tail: "", left: 0 }
  return { head: `${lines.slice(0, headLines).join("\n")}\n`, tail: `\n${lines.slice(-tailLines).join("\n")}`, left }
}

export const Ansi = memo(({ text }: { text: string }) => {
  const stretches = useMemo(() => ansi(text), [text])
  return stretches.map(({ text: said, className, color, background }, at) =>
    className === "" && color === undefined && background === undefined ? (
      said
    ) : (
      <span key={at} className={className} style={color || background ? { color, background } : undefined}>
        {said}
      </span>
    ),
  )
})
