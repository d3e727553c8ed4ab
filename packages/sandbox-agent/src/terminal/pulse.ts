import { intervalOf } from "acp-http-client"

/** Looks so often in the time after which silence is the end: the first looks ask. */
const looks = 3

/**
 * Whether somebody is at the other end of a WebSocket, which does not tell by itself. Looks are counted and not timed: a tab that slept has
 * not looked, and what came meanwhile is taken before it looks again.
 */
export class Pulse {
  onSilence: (() => void) | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #silentLooks = 0

  constructor(
    private readonly silenceMs: number,
    private readonly ask: () => void,
  ) {}

  begin(): void {
    this.#timer = intervalOf(() => this.#look(), this.silenceMs / looks)
  }

  came(): void {
    this.#silentLooks = 0
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    if (++this.#silentLooks > looks) this.onSilence?.()
    else this.ask()
  }
}
