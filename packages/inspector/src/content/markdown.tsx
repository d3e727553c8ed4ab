import type { Token, Tokens } from "marked"
import { Fragment, memo, type ReactNode, useRef } from "react"
import { GrowingBlocks } from "./blocks.ts"
import { CodeBlock } from "./code-block.tsx"

/** Text of an agent. Elements are made one by one, never from HTML: what it prints cannot be anything but text. */
export const Markdown = memo(({ text, growing = false }: { text: string; growing?: boolean }) => {
  const blocks = useRef<GrowingBlocks>(null)
  blocks.current ??= new GrowingBlocks()
  const tokens = blocks.current.read(text, growing)
  return (
    <div className="markdown">
      {tokens.map((token, at) => (
        <Block key={at} token={token} />
      ))}
    </div>
  )
})

const Block = memo(
  ({ token }: { token: Token }) => <>{block(token as Tokens.Generic)}</>,
  (before, after) => before.token === after.token || before.token.raw === after.token.raw,
)

function block(token: Tokens.Generic): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading":
      // One level for all: an agent begins with any, and the outline of the page must hold.
      return <h2 className={`md-h${token.depth}`}>{inline(token.tokens)}</h2>
    case "paragraph":
      return <p>{inline(token.tokens)}</p>
    case "text":
      return token.tokens ? inline(token.tokens) : (token.text as string)
    case "code":
      return <CodeBlock code={token.text as string} language={(token.lang as string | undefined)?.split(/\s/)[0]} />
    case "blockquote":
      return <blockquote>{blocksOf(token.tokens)}</blockquote>
    case "hr":
      return <hr />
    case "list":
      return listOf(token as Tokens.List)
    case "table":
      return tableOf(token as Tokens.Table)
    default:
      return token.raw
  }
}

const blocksOf = (tokens: readonly Token[] = []): ReactNode =>
  tokens.map((token, at) => <Fragment key={at}>{block(token as Tokens.Generic)}</Fragment>)

function listOf({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = items.map((item, at) => (
    <li key={at} className={item.task ? "task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} readOnly disabled aria-label="task" />}
      {blocksOf(item.tokens.filter(({ type }) => (type as string) !== "checkbox"))}
    </li>
  ))
  return ordered ? <ol start={start === "" ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>
}

function tableOf({ header, rows, align }: Tokens.Table): ReactNode {
  const side = (at: number) => (align[at] ? `to-${align[at]}` : undefined)
  return (
    <div className="table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} className={side(at)}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, at) => (
                <td key={at} className={side(at)}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const inline = (tokens: readonly Token[] = []): ReactNode =>
  tokens.map((token, at) => <Fragment key={at}>{span(token as Tokens.Generic)}</Fragment>)

function span(token: Tokens.Generic): ReactNode {
  switch (token.type) {
    case "text":
      return token.tokens ? inline(token.tokens) : unescaped(token.text as string)
    case "escape":
      return token.text as string
    case "strong":
      return <strong>{inline(token.tokens)}</strong>
    case "em":
      return <em>{inline(token.tokens)}</em>
    case "del":
      return <del>{inline(token.tokens)}</del>
    case "codespan":
      return <code>{token.text as string}</code>
    case "br":
      return <br />
    case "link":
      return <Link href={token.href as string}>{inline(token.tokens)}</Link>
    case "image":
      // Loading it would tell somebody that it was looked at.
      return <Link href={token.href as string}>{`image: ${(token.text as string) || (token.href as string)}`}</Link>
    default:
      return token.raw
  }
}

/** The lexer leaves entities as they are written. */
const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** Only what leads to a page, in a tab of its own that knows nothing of this one; anything else is its text. */
export function Link({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?:\/\/|mailto:)/i.test(href.trim()) || !URL.canParse(href)) return <span title={href}>{children}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
      {children}
    </a>
  )
}
