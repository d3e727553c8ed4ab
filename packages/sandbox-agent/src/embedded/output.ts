import type { ChildProcess } from "node:child_process"
import type { SpawnOptions } from "../spawn.ts"

const keptChars = 16 * 1024

/** What a daemon writes: its address is read from it, and it is passed on as asked. Always taken, so that it never waits for us. */
export class Output {
  readonly address: Promise<string>
  readonly #child: ChildProcess
  #stdout = ""
  #stderr = ""

  constructor(child: ChildProcess, { log = "silent", onLog }: SpawnOptions) {
    this.#child = child
    let found: (address: string) => void = () => undefined
    this.address = new Promise((resolve) => {
      found = resolve
    })
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout = (this.#stdout + text).slice(-keptChars)
      const address = /listening on (https?:\/\/\S+)\n/.exec(this.#stdout)?.[1]
      if (address !== undefined) found(address.replace(/\/$/, ""))
      if (log === "inherit") process.stdout.write(text)
      if (log === "pipe") onLog?.(text)
    })
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-keptChars)
      if (log === "inherit") process.stderr.write(text)
      if (log === "pipe") onLog?.(text)
    })
  }

  /** For the message of an error. */
  said(): string {
    const text = (this.#stderr.trim() || this.#stdout.trim()).slice(-2_000)
    return text === "" ? "" : `: ${text}`
  }

  unref(): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      const socket = stream as { unref?: () => void } | null
      socket?.unref?.()
    }
  }
}
