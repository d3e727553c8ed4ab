export type Write = () => void

/** Changes of rows that wait for COMMIT, in order. Of a row that is saved again before that, only the last state is written. */
export class PendingWrites {
  #writes: (Write | undefined)[] = []
  readonly #rows = new Map<string, number>()
  #count = 0

  get size(): number {
    return this.#count
  }

  add(write: Write): void {
    this.#writes.push(write)
    this.#count++
  }

  /** `write` leaves the row as it says, whatever was in it before. */
  save(row: string, write: Write): void {
    const earlier = this.#rows.get(row)
    if (earlier !== undefined) {
      this.#writes[earlier] = undefined
      this.#count--
    }
    this.#rows.set(row, this.#writes.length)
    this.add(write)
  }

  run(): void {
    for (const write of this.#writes) write?.()
  }

  clear(): void {
    this.#writes = []
    this.#rows.clear()
    this.#count = 0
  }
}
