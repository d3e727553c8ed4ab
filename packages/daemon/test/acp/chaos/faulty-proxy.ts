import { connect, createServer, type Socket } from "node:net"

/** `fin` and `reset` take both ends; `ghost` resets the client's alone: the server believes for a while that it is there. */
export type CutKind = "fin" | "reset" | "ghost"

/** Bytes that pass in each direction until the connection is cut. */
interface CutPlan {
  up: number
  down: number
  manner: CutKind
}

interface Pair {
  inside: Socket
  outside: Socket
  cutPlan: CutPlan | undefined
}

/** Cuts by the clock until somebody has got on: on a machine that takes longer for an answer than from cut to cut nobody would. */
const CUTS_BY_CLOCK = 10

/** A TCP line to a daemon that breaks at any byte of either direction, until it is told to be calm. */
export class FaultyProxy {
  readonly cuts: Record<CutKind, number> = { fin: 0, reset: 0, ghost: 0 }
  readonly #open = new Set<Pair>()
  readonly #ghosts = new Set<Socket>()
  readonly #server = createServer((inside) => this.#take(inside))
  #rough = false
  #byClock = CUTS_BY_CLOCK

  private constructor(
    readonly target: number,
    readonly random: () => number,
  ) {}

  static async to(target: number, random: () => number): Promise<FaultyProxy> {
    const line = new FaultyProxy(target, random)
    await new Promise<void>((resolve) => line.#server.listen(0, "127.0.0.1", resolve))
    return line
  }

  get url(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  }

  get total(): number {
    return this.cuts.fin + this.cuts.reset + this.cuts.ghost
  }

  /** What is open and what comes is cut sooner or later. */
  rough(): void {
    this.#rough = true
    for (const pair of this.#open) pair.cutPlan ??= this.#planCut()
  }

  calm(): void {
    this.#rough = false
    for (const pair of this.#open) pair.cutPlan = undefined
  }

  /** One connection, in whatever it is: also where no byte flows because somebody is asked. */
  cutAny(): void {
    const all = [...this.#open]
    const pair = all[Math.floor(this.random() * all.length)]
    if (!this.#rough || pair === undefined || this.#byClock === 0) return
    this.#byClock--
    this.#cut(pair, this.#manner())
  }

  /** A request was answered. */
  gotOn(): void {
    this.#byClock = CUTS_BY_CLOCK
  }

  stop(): void {
    for (const { inside, outside } of this.#open) for (const socket of [inside, outside]) socket.destroy()
    for (const socket of this.#ghosts) socket.destroy()
    this.#server.close()
  }

  #take(inside: Socket): void {
    const outside = connect(this.target, "127.0.0.1")
    const pair: Pair = { inside, outside, cutPlan: this.#rough ? this.#planCut() : undefined }
    this.#open.add(pair)
    inside.on("data", (chunk) => this.#pass(pair, "up", outside, chunk))
    outside.on("data", (chunk) => this.#pass(pair, "down", inside, chunk))
    // Broken lines are what this is for: the other end learns of it and nobody else.
    for (const socket of [inside, outside]) socket.on("error", () => undefined)
    inside.on("close", () => {
      if (this.#open.delete(pair)) outside.destroy()
    })
    outside.on("close", () => {
      this.#ghosts.delete(outside)
      if (this.#open.delete(pair)) inside.destroy()
    })
  }

  #pass(pair: Pair, direction: "up" | "down", to: Socket, chunk: Buffer | string): void {
    if (!this.#open.has(pair)) return
    const { cutPlan } = pair
    if (cutPlan === undefined) return void to.write(chunk)
    if (chunk.length <= cutPlan[direction]) {
      cutPlan[direction] -= chunk.length
      return void to.write(chunk)
    }
    const rest = Buffer.from(chunk as Buffer).subarray(0, cutPlan[direction])
    if (rest.length === 0) return this.#cut(pair, cutPlan.manner)
    cutPlan[direction] = 0
    to.write(rest)
    setTimeout(() => this.#cut(pair, cutPlan.manner), 1)
  }

  #cut(pair: Pair, manner: CutKind): void {
    if (!this.#open.delete(pair)) return
    const { inside, outside } = pair
    this.cuts[manner]++
    if (manner === "fin") {
      for (const socket of [inside, outside]) socket.end(() => socket.destroy())
      return
    }
    inside.resetAndDestroy()
    if (manner === "reset") return void outside.resetAndDestroy()
    this.#ghosts.add(outside)
    setTimeout(() => outside.destroy(), this.random() * 400)
  }

  #planCut(): CutPlan | undefined {
    if (this.random() < 0.2) return undefined
    const size = (most: number) => Math.floor(this.random() ** 2 * most)
    const up = this.random() < 0.3 ? size(1_500) : Number.POSITIVE_INFINITY
    return { up, down: size(12_000), manner: this.#manner() }
  }

  #manner(): CutKind {
    const place = this.random()
    return place < 0.35 ? "fin" : place < 0.7 ? "reset" : "ghost"
  }
}
