/** Frames in memory and who waits for more: the least that hands one stream to many readers. */
export class Relay {
  readonly #pages: Buffer[] = []
  #sequence = 0
  #wake = Promise.withResolvers<void>()

  /** A piece of the agent's output that ends at a line's end. */
  push(text: string): void {
    let page = ""
    for (const line of text.split("\n")) {
      if (line !== "") page += `id: ${++this.#sequence}\ndata: ${line}\n\n`
    }
    this.#pages.push(Buffer.from(page))
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }

  get sequence(): number {
    return this.#sequence
  }

  /** What comes from now on. */
  async *read(): AsyncGenerator<Buffer> {
    yield Buffer.from(": open\n\n")
    let at = this.#pages.length
    for (;;) {
      const ready = this.#pages.slice(at)
      at += ready.length
      if (ready.length === 0) await this.#wake.promise
      else yield ready.length === 1 && ready[0] !== undefined ? ready[0] : Buffer.concat(ready)
    }
  }
}

/** Frames made before anyone asks, in pages as the daemon reads them. */
export function madeFrames(count: number): Buffer[] {
  const pages: Buffer[] = []
  let page = ""
  for (let i = 1; i <= count; i++) {
    page += `id: ${i}\ndata: {"type":"${i === count ? "turn.ended" : "item.delta"}","pad":"${"x".repeat(250)}"}\n\n`
    if (page.length < 262_144 && i < count) continue
    pages.push(Buffer.from(page))
    page = ""
  }
  return pages
}
