import { memo, useEffect, useState } from "react"
import { Icon } from "../ui/icon.tsx"
import { copyText } from "../ui/notices.tsx"
import type { Highlighted } from "./highlight.ts"

/** Longer code is shown as it is. */
const mostChars = 60_000

/** Loaded with the first code that has a language. */
let loading: Promise<typeof import("./highlight.ts")> | undefined
const highlighter = () => {
  loading ??= import("./highlight.ts")
  return loading
}

export const CodeBlock = memo(({ code, language = "" }: { code: string; language?: string | undefined }) => (
  <div className="code">
    <div className="code-head">
      <span>{language}</span>
      <button type="button" className="icon-button" aria-label="Copy code" onClick={() => void copyText(code)}>
        <Icon name="copy" size={14} />
      </button>
    </div>
    <pre tabIndex={0} role="group" aria-label={language === "" ? "Code" : `Code, ${language}`}>
      <Highlight code={code} language={language} />
    </pre>
  </div>
))

export function Highlight({ code, language }: { code: string; language: string }) {
  const [shown, setShown] = useState<{ code: string; tree: readonly Highlighted[] }>()
  useEffect(() => {
    if (language === "" || code.length > mostChars) return
    let isWanted = true
    // Not with every letter of what is still being written.
    const timer = setTimeout(() => {
      void highlighter().then(({ highlight }) => {
        if (isWanted) setShown({ code, tree: highlight(code, language) })
      })
    }, 80)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [code, language])
  if (shown === undefined || !code.startsWith(shown.code)) return <code>{code}</code>
  return (
    <code>
      <Nodes nodes={shown.tree} />
      {code.slice(shown.code.length)}
    </code>
  )
}

function Nodes({ nodes }: { nodes: readonly Highlighted[] }) {
  return nodes.map((node, at) =>
    typeof node === "string" ? (
      node
    ) : (
      <span key={at} className={node.scope === "" ? undefined : `hl-${node.scope}`}>
        <Nodes nodes={node.children} />
      </span>
    ),
  )
}
