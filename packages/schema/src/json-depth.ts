import { limits } from "./limits.ts"

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [34, 92, 91, 93, 123, 125]

/** Whether JSON text is nested deeper than so many levels. What is too short to be that deep is not looked at. */
export function isDeeperThan(text: string, limit: number): boolean {
  // Each level costs two characters in what is JSON; what is not is given up by the parser before it is deep.
  if (text.length <= 2 * limit) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === quote) i = stringEnd(text, i)
    else if (char === openBracket || char === openBrace) {
      if (++depth > limit) return true
    } else if (char === closeBracket || char === closeBrace) depth--
  }
  return false
}

/** Where the string that begins at `start` has its closing quote; the length of the text when it has none. */
export function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

/** JSON of somebody else; too deep a text is refused like one that is no JSON, before it costs anything. */
export function parseBounded(text: string, limit: number): unknown {
  if (isDeeperThan(text, limit)) throw new SyntaxError(`nested deeper than ${limit} levels`)
  return JSON.parse(text)
}

/** A line of an agent, of its files, or a text inside one. */
export const parseOfAgent = (text: string): unknown => parseBounded(text, limits.agentLineDepth)

/** A text of a client, or of a file that a person wrote. */
export const parseOfClient = (text: string): unknown => parseBounded(text, limits.requestBodyDepth)
