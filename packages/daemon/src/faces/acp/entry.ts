/**
 * One line of a connection's own log: a message to its client, or the place at which a session's history is sent. The
 * log is one like any other, so what it holds has a place in the same order as the events of sessions.
 */
export type Entry = EntryMessage | Loaded

export interface EntryMessage {
  /** The session whose stream it belongs to; without one it belongs to the connection's. */
  to?: string
  /** The call it answers. */
  call?: number
  envelope: object
}

/** The folded items of a session up to `seq`, sent here. */
export interface Loaded {
  to: string
  load: { uid: number; seq: number }
}

/** A place in the order of all messages: the k-th one of what stands at `pos`. */
export interface Cursor {
  pos: number
  k: number
}

/** One message with its place. */
export interface Line extends Cursor {
  json: string
  /** The call it answers. */
  call?: number
  /** It takes back this request. */
  cancels?: string
  /** The name it has on a stream; without one it is a message like any other. */
  event?: string
}

export const isAfter = (line: Cursor, { pos, k }: Cursor): boolean => line.pos > pos || (line.pos === pos && line.k > k)
