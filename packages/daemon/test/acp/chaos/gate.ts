/** Keeps kills away from beginnings: whoever begins holds it, who kills closes it. */
export class Gate {
  #holders = 0
  #closed: Promise<void> | undefined
  #wake: (() => void)[] = []

  async hold<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed !== undefined) await this.#closed
    this.#holders++
    try {
      return await work()
    } finally {
      this.#holders--
      for (const wake of this.#wake.splice(0)) wake()
    }
  }

  async close<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closed = promise
    while (this.#holders > 0) await new Promise<void>((wake) => this.#wake.push(wake))
    try {
      return await work()
    } finally {
      this.#closed = undefined
      resolve()
    }
  }
}
