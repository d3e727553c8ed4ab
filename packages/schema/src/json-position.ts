/** JSON.parse does not say everywhere where it failed; people who wrote the text need the place. */
export interface JsonPosition {
  readonly line: number
  readonly column: number
  readonly reason: string
}

class Stop extends Error {}
const DEEPEST = 500

/** Where text stops being JSON, or undefined if it is JSON. */
export function jsonErrorPosition(text: string): JsonPosition | undefined {
  let at = 0
  const fail = (reason: string): never => {
    throw new Stop(at >= text.length ? "it ends in the middle" : reason)
  }
  const space = (): void => {
    while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++
  }
  const take = (pattern: RegExp, reason: string): void => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at += match[0].length
    else fail(reason)
  }
  const string = (): void => {
    // Up to the first character that cannot stand there, so that the place is exact.
    const body = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*/uy
    take(body, "a string in double quotes should stand here")
    if (text[at] !== '"') fail("this character cannot stand in a string")
    at++
  }
  const list = (close: string, entry: () => void): void => {
    at++
    space()
    if (text[at] === close) {
      at++
      return
    }
    for (;;) {
      space()
      entry()
      space()
      if (text[at] === close) break
      if (text[at] !== ",") fail(`\`,\` or \`${close}\` should stand here`)
      at++
    }
    at++
  }
  let depth = 0
  const value = (): void => {
    // Recursion is fine for what people write; a text made to exhaust the stack is refused before it does.
    if (++depth > DEEPEST) fail("nested too deep")
    plainValue()
    depth--
  }
  const plainValue = (): void => {
    if (text[at] === "{")
      list("}", () => {
        string()
        space()
        if (text[at] !== ":") fail("`:` should stand here")
        at++
        space()
        value()
      })
    else if (text[at] === "[") list("]", value)
    else if (text[at] === '"') string()
    else take(/(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y, "a JSON value should stand here")
  }
  try {
    space()
    value()
    space()
    if (at < text.length) fail("nothing may follow the first value")
    return undefined
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    const lines = text.slice(0, at).split("\n")
    return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, reason: error.message }
  }
}
