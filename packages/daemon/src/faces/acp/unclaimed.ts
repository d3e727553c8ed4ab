import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import type { Connection } from "./connection.ts"

/**
 * `initialize` without headers says nothing of the dialect. A later request with the header claims its connection for
 * the official transport; the first one without counts all that are left as clients of the headerless stream.
 */
export class Unclaimed {
  readonly #waiting = new Map<string, Map<string, Connection>>()
  /** Counted as headerless and claimed after all. */
  onLate: ((connection: Connection) => void) | undefined
  readonly #taken = new WeakSet<Connection>()

  add(connection: Connection): void {
    const { path } = connection.doc
    const at: Map<string, Connection> = this.#waiting.get(path) ?? new Map()
    this.#waiting.set(path, at.set(connection.id, connection))
    for (const oldest of at.keys()) {
      if (at.size <= acpLimits.unclaimed) return
      at.delete(oldest)
    }
  }

  claimed(connection: Connection): void {
    if (this.#taken.delete(connection)) this.onLate?.(connection)
    else this.#waiting.get(connection.doc.path)?.delete(connection.id)
  }

  /** The clients that have begun at a path since it was last asked; the newest is the last. */
  take(path: string): Connection[] {
    const found = [...(this.#waiting.get(path)?.values() ?? [])].filter(({ saved }) => !saved)
    this.#waiting.delete(path)
    for (const connection of found) {
      connection.counted = true
      this.#taken.add(connection)
    }
    return found
  }
}
