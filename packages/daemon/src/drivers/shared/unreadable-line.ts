import type { LineSink } from "../../core/driver-sink.ts"

/** A session of a process that others have sessions in. */
export interface Concerned {
  readonly sink: LineSink
  /** The agent does something for it. */
  readonly working: boolean
}

const withheld = "A line that cannot be read, and names no session, was passed over; it may be of another session"

/**
 * For a line that says nothing of whose it is: it is kept by the session that works, where one alone does. Of several any may be
 * meant, so each is told that there was one, and none gets its text: that may be of another's conversation, and so may what is
 * wrong with it. Where none works the same holds for all. `false`: there is nobody to tell.
 */
export function tellUnreadable(raw: string, error: unknown, sessions: Iterable<Concerned>): boolean {
  const all = [...new Set(sessions)]
  const working = all.filter((session) => session.working)
  const concerned = working.length > 0 ? working : all
  const [only, another] = concerned
  if (only !== undefined && another === undefined)
    only.sink.line(raw, () => {
      throw error
    })
  else for (const { sink } of concerned) sink.passedOver(withheld)
  return only !== undefined
}
