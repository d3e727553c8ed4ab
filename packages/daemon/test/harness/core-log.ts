import type { Event, EventType } from "@sandbox-agent/schema/event"
import type { Core } from "../../src/core/core.ts"
import type { Session } from "../../src/core/session.ts"
import { noteOnFailure } from "./notes.ts"

export type Of<T extends EventType> = Extract<Event, { type: T }>

/** A real core in this process, and what its sessions have in their logs. */
export abstract class CoreLog {
  abstract readonly core: Core
  /** The one that is meant where none is named. */
  abstract readonly session: Session

  /** Every event so far, committed. */
  events(s = this.session): Event[] {
    this.core.context.store.flush()
    return this.core.context.reader
      .texts(s.log, 0, Number.MAX_SAFE_INTEGER)
      .map(({ json }) => JSON.parse(json) as Event)
  }

  of<T extends EventType>(type: T, s = this.session): Of<T>[] {
    return this.events(s).filter((event): event is Of<T> => event.type === type)
  }

  /** How its log ends, in short. */
  tail(s = this.session, count = 12): string {
    const short = ({ sequence, type, data }: Event) => `${sequence} ${type} ${JSON.stringify(data).slice(0, 300)}`
    return this.events(s).slice(-count).map(short).join("\n  ")
  }

  /** Waits for the log as a reader does. */
  async until<T extends EventType>(
    type: T,
    when: (event: Of<T>) => boolean = () => true,
    s = this.session,
  ): Promise<Of<T>> {
    noteOnFailure(s, () => `${s.record.id} (${s.record.status}): ${this.tail(s)}`)
    while (true) {
      const found = this.of(type, s).find(when)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => s.log.waiting.add(resolve))
    }
  }
}
