type Listener = (session: { sandbox: string; id: string }) => void

/** Who wants to know what is stored. */
export class Listeners {
  readonly #all = new Set<Listener>()

  get size(): number {
    return this.#all.size
  }

  add(listener: Listener): () => void {
    this.#all.add(listener)
    return () => {
      this.#all.delete(listener)
    }
  }

  /** What a listener throws is its own: writing goes on. */
  tell(session: { sandbox: string; id: string }): void {
    for (const listener of [...this.#all]) {
      try {
        listener(session)
      } catch (error) {
        console.error("sandbox-agent: a listener of a store threw:", error)
      }
    }
  }
}
