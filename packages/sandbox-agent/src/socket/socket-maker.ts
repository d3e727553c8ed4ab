/** What is used of a WebSocket. */
export interface Socket {
  binaryType: string
  readonly readyState: number
  send(data: string | Uint8Array<ArrayBuffer>): void
  close(code?: number): void
  onopen: ((event: never) => void) | null
  onmessage: ((event: { data: unknown }) => void) | null
  onclose: ((event: { code: number }) => void) | null
  onerror: ((event: never) => void) | null
}

/** Where something in front of the daemon asks for headers, it is given `{ headers }` as a second argument, as `ws` takes it. */
export type SocketMaker = new (url: string) => Socket

type WithHeaders = new (url: string, options: { headers: Record<string, string> }) => Socket

export interface MadeSocket {
  socket: Socket
  /** Names of headers that the runtime cannot send. */
  unsent: string[]
}

export function socketWith(Maker: SocketMaker, url: string, headers: Record<string, string>): MadeSocket {
  const names = Object.keys(headers)
  if (names.length === 0) return { socket: new Maker(url), unsent: [] }
  return { socket: new (Maker as WithHeaders)(url, { headers }), unsent: [] }
}
