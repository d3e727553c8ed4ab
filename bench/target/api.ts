import type { Running } from "./target.ts"

/** The token every daemon of the bench is started with. */
export const token = "bench-token"

/** One call of the universal API; anything but success throws with the problem's text. */
export async function api<T = unknown>(port: number, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

/** What a call to a target of any kind has to say of itself. */
export const headersOf = ({ token }: Pick<Running, "token">): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

export const urlOf = ({ port }: Pick<Running, "port">, path: string, query: Record<string, string>): string =>
  `http://127.0.0.1:${port}${path}?${new URLSearchParams(query)}`
