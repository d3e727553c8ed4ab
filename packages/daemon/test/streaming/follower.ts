import type { Api } from "../harness/api.ts"
import { type Frame, sseEvents } from "../harness/sse.ts"

/** A client that keeps what it was sent, in order, and complains at once about a gap, a duplicate or a wrong id. */
export class Follower {
  /** The JSON text of each event, as sent; index 0 is the event after `from`. */
  readonly texts: string[] = []
  /** Sequence of the last event that came. */
  last: number

  constructor(
    readonly id: string,
    readonly from = 0,
    private readonly path = `/v1/sessions/${id}/events/sse`,
  ) {
    this.last = from
  }

  /** Reads until `done` says so, or the stream ends. */
  async read(api: Api, done: (text: string) => boolean = () => false, headers?: Record<string, string>): Promise<void> {
    const abort = new AbortController()
    try {
      const response = await fetch(`${api.url}${this.path}?offset=${this.last}`, {
        headers: { ...api.headers, ...headers },
        signal: abort.signal,
      })
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
      for await (const frame of sseEvents(response)) if (done(this.#take(frame))) return
    } finally {
      abort.abort()
    }
  }

  #take({ id, event, data }: Frame): string {
    const expected = this.last + 1
    if (id !== String(expected) || event !== undefined || !data.includes(`"sequence":${expected},`))
      throw new Error(`session ${this.id}: where event ${expected} belongs came ${event} ${id} ${data.slice(0, 200)}`)
    this.last = expected
    this.texts.push(data)
    return data
  }
}

const END = Buffer.from("\n\n")

/** A hash of the bytes of a stream up to the end of the first turn. It looks for nothing but the ends of frames: the readers
 * of a crowd share one process, and what counts is that each of them got the same bytes. */
export async function hashOfTurn(api: Api, id: string, from: number): Promise<string> {
  const abort = new AbortController()
  try {
    const response = await fetch(`${api.url}/v1/sessions/${id}/events/sse?offset=${from}`, {
      headers: api.headers,
      signal: abort.signal,
    })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    const hash = new Bun.CryptoHasher("sha1")
    let rest = Buffer.alloc(0)
    for await (const chunk of response.body ?? []) {
      const bytes = Buffer.concat([rest, chunk])
      const whole = bytes.lastIndexOf(END) + END.length
      if (whole < END.length) {
        rest = bytes
        continue
      }
      const last = bytes.subarray(0, whole).indexOf(TURN_ENDED)
      const end = last < 0 ? whole : bytes.indexOf(END, last) + END.length
      hash.update(bytes.subarray(0, end))
      if (last >= 0) return hash.digest("hex")
      rest = bytes.subarray(end)
    }
    throw new Error("the stream ended before the turn")
  } finally {
    abort.abort()
  }
}

/** The same of what a follower has kept. */
export function hashOfFollower({ texts, from }: Follower): string {
  const hash = new Bun.CryptoHasher("sha1").update("retry: 1000\n\n")
  for (const [i, text] of texts.entries()) hash.update(`id: ${from + 1 + i}\ndata: ${text}\n\n`)
  return hash.digest("hex")
}

/** The whole log as stored text, from GET events: pages are joined without being parsed. */
export async function storedTexts(api: Api, id: string, from = 0): Promise<string> {
  let all = ""
  for (let offset = from, more = true; more; ) {
    const path = `/v1/sessions/${id}/events?offset=${offset}&limit=1000`
    const response = await fetch(api.url + path, { headers: api.headers })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status} ${text}`)
    const page = JSON.parse(text) as { events: { sequence: number }[]; hasMore: boolean }
    const inner = text.slice('{"events":['.length, text.lastIndexOf("]"))
    if (inner !== "") all += (all === "" ? "" : ",") + inner
    offset = page.events.at(-1)?.sequence ?? offset
    more = page.hasMore
  }
  return all
}

const TURN_ENDED = '"type":"turn.ended"'
export const turnEnded = (text: string): boolean => text.includes(TURN_ENDED)
