export type HeaderSource = Record<string, string> | Headers | [string, string][]

/** Other characters are refused by runtimes, some of them only when the request is sent, as if the network had failed. */
const sendable = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Headers that a request can carry. What `refuse` makes of others is thrown; it is told the name alone: runtimes tell the value, which
 * may be a secret.
 */
export function headersOf(source: HeaderSource | undefined, refuse: (why: string) => Error): Headers {
  const headers = made(source)
  const wrong =
    headers === undefined
      ? pairsOf(source).find((pair) => made([pair]) === undefined)
      : [...headers].find(([, value]) => !sendable.test(value))
  if (headers !== undefined && wrong === undefined) return headers
  throw refuse(
    wrong === undefined
      ? "no headers"
      : `no request can carry ${JSON.stringify(wrong[0])}, whose name or value has characters that headers have not`,
  )
}

function made(source: HeaderSource | undefined): Headers | undefined {
  try {
    return new Headers(source)
  } catch {
    return undefined
  }
}

const pairsOf = (source: HeaderSource | undefined): [string, string][] =>
  Array.isArray(source) ? source : Object.entries(source ?? {})
