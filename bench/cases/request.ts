import type { Running } from "../target/target.ts"

export const headersOf = ({ token }: Running): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

export const urlOf = ({ port }: Running, path: string, query: Record<string, string>): string =>
  `http://127.0.0.1:${port}${path}?${new URLSearchParams(query)}`
