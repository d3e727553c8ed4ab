export type Write = () => void

/** Changes of rows that wait for COMMIT, in order. Of a row that is saved again before that, only the last state is written. */
export class PendingWrites {
  #writes: (Write | undefined)[] = []
  readonly #rows = new Map<string, number>()
  #count = 0
  #others = 0

  get size(): number {
    return this.#count
  }

  /** Nothing but rows that are written whole: no change that reads, or that depends on what is there. */
  get areRows(): boolean {
    return this.#others === 0
  }

  add(write: Write): void {
    this.#others++
    this.#push(write)
  }

  /** `write` leaves the row as it says, whatever was in it before. */
  save(row: string, write: Write): void {
    const earlier = this.#rows.get(row)
    if (earlier !== undefined) {
      this.#writes[earlier] = undefined
      this.#count--
    }
    this.#rows.set(row, this.#writes.length)
    this.#push(write)
  }

  run(): void {
    for (const write of this.#writes) write?.()
  }

  clear(): void {
    this.#writes = []
    this.#rows.clear()
    this.#count = 0
    this.#others = 0
  }

  #push(write: Write): void {
    this.#writes.push(write)
    this.#count++
  }
}
