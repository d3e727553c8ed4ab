/** How words name what an agent cannot be given as it is. */
export const mentionOf = (name: string, uri: string): string => `[@${name}](${uri})`

/** What stands there, behind the words that mention it. */
export const contextOf = (uri: string, text: string): string => `<context ref="${uri}">\n${text}\n</context>`

/** The last segment of an address, as a person would name the thing. */
export function nameOf(uri: string): string {
  const [plain = uri] = uri.split(/[?#]/, 1)
  const last = plain.split("/").findLast((segment) => segment !== "") ?? uri
  return URL.canParse(uri) ? decoded(last) : last
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment // a lone `%` is part of the name
  }
}
