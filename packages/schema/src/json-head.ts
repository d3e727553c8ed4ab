import { stringEnd } from "./json-depth.ts"

export type Scalar = string | number | boolean | null

const scalar = /(?:true|false|null|-?\d[\d.eE+-]*)(?=[\s,}])/y
const space = /\s*/y

/**
 * The fields of an object that stand in the beginning of its text, for messages that are too long or too deep to be read
 * whole: values that are no objects, and `undefined` for those that are. A value that is cut off is left out.
 */
export function jsonHead(text: string): Map<string, Scalar | undefined> {
  const found = new Map<string, Scalar | undefined>()
  let at = skip(text, 0)
  if (text[at] !== "{") return found
  do {
    at = skip(text, at + 1)
    const keyEnd = text[at] === '"' ? stringEnd(text, at) : text.length
    const colon = skip(text, keyEnd + 1)
    if (keyEnd >= text.length || text[colon] !== ":") return found
    const key = parsed(text.slice(at, keyEnd + 1))
    at = skip(text, colon + 1)
    const end = valueEnd(text, at)
    const isObject = text[at] === "{" || text[at] === "["
    if (isObject) found.set(String(key), undefined)
    else if (end <= text.length) found.set(String(key), parsed(text.slice(at, end)))
    at = skip(text, end)
  } while (text[at] === ",")
  return found
}

function parsed(text: string): Scalar | undefined {
  try {
    return JSON.parse(text) as Scalar
  } catch {
    return undefined
  }
}

function skip(text: string, from: number): number {
  space.lastIndex = from
  space.test(text)
  return Math.max(from, space.lastIndex)
}

/** After the value that begins here; beyond the text when it does not end in it. */
function valueEnd(text: string, start: number): number {
  if (text[start] === '"') {
    const end = stringEnd(text, start)
    return end < text.length ? end + 1 : text.length + 1
  }
  if (text[start] !== "{" && text[start] !== "[") {
    scalar.lastIndex = start
    return scalar.test(text) ? scalar.lastIndex : text.length + 1
  }
  let depth = 0
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (char === '"') i = stringEnd(text, i)
    else if (char === "{" || char === "[") depth++
    else if ((char === "}" || char === "]") && --depth === 0) return i + 1
  }
  return text.length + 1
}
