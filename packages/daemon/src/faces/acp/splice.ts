import { stringEnd } from "@sandbox-agent/schema/json-depth"

/** A place in a JSON text: from where to where its value stands. */
interface Span {
  from: number
  to: number
}

/**
 * The same JSON text with other values at some paths, and every other byte as it was: numbers, spaces and escapes that
 * reading and writing it again would change. A path that is not there is left out. The text must be valid.
 */
export function splice(json: string, values: readonly (readonly [path: readonly string[], value: unknown])[]): string {
  const found = values.flatMap(([path, value]) => {
    const span = spanOf(json, path)
    return span === undefined ? [] : [{ ...span, text: JSON.stringify(value) }]
  })
  let spliced = json
  for (const { from, to, text } of found.sort((a, b) => b.from - a.from))
    spliced = spliced.slice(0, from) + text + spliced.slice(to)
  return spliced
}

/** Where the value at a path stands. */
export function spanOf(json: string, path: readonly string[]): Span | undefined {
  let from = skipSpace(json, 0)
  for (const name of path) {
    const at = json[from] === "{" ? memberOf(json, from, name) : undefined
    if (at === undefined) return undefined
    from = at
  }
  return { from, to: endOf(json, from) }
}

/** Where the value of a member begins. Of two with one name the last counts, as for every reader. */
function memberOf(json: string, object: number, name: string): number | undefined {
  let found: number | undefined
  for (let at = skipSpace(json, object + 1); json[at] === '"'; ) {
    const end = endOf(json, at)
    const value = skipSpace(json, skipSpace(json, end) + 1)
    if (JSON.parse(json.slice(at, end)) === name) found = value
    const next = skipSpace(json, endOf(json, value))
    if (json[next] !== ",") break
    at = skipSpace(json, next + 1)
  }
  return found
}

/** Behind the value that begins here. */
function endOf(json: string, from: number): number {
  let depth = 0
  for (let at = from; at < json.length; ) {
    const char = json[at] as string
    if (char === '"') at = stringEnd(json, at) + 1
    else {
      if (char === "{" || char === "[") depth++
      if (char === "}" || char === "]") depth--
      if (depth < 0 || (depth === 0 && (char === "," || isSpace(char)))) return at
      at++
    }
    if (depth === 0 && (char === '"' || char === "}" || char === "]")) return at
  }
  return json.length
}

function skipSpace(json: string, from: number): number {
  let at = from
  while (isSpace(json[at])) at++
  return at
}

const isSpace = (char: string | undefined): boolean => char === " " || char === "\t" || char === "\r" || char === "\n"
