import type { Calls } from "./calls.ts"
import type { Item } from "./native.ts"

/** `/bin/bash -lc 'echo hi'` as the model wrote it. */
export function commandText({ command = "", commandActions = [] }: Pick<Item, "command" | "commandActions">): string {
  const wrapped = /^\S*\b(?:ba|z|da|k)?sh -l?c (.*)$/s.exec(command)?.[1]
  if (wrapped === undefined) return command
  const [only, ...more] = commandActions
  if (only?.type === "unknown" && more.length === 0) return only.command
  return unquoted(wrapped)
}

function unquoted(text: string): string {
  if (/^'.*'$/s.test(text)) return text.slice(1, -1).replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'")
  if (/^".*"$/s.test(text)) return text.slice(1, -1).replace(/\\([$"`\\])/g, "$1")
  return text
}

/** Commands of one thread. One may outlive its turn: then its call has an answer already, and its end comes late. */
export class Commands {
  readonly #running = new Set<string>()
  readonly #detached = new Set<string>()

  /** Interrupted; their calls have been answered by the end of their turn. */
  readonly #dropped = new Set<string>()
  #waiting: (() => void)[] = []
  /** Nothing can be typed into these. */
  readonly #withoutInput = new Set<string>()

  constructor(private readonly calls: Calls) {}

  get running(): ReadonlySet<string> {
    return this.#running
  }

  /** Of earlier turns. */
  get detached(): ReadonlySet<string> {
    return this.#detached
  }

  get withoutInput(): ReadonlySet<string> {
    return this.#withoutInput
  }

  /** `called`: what the model called it with, as JSON, where that is known. */
  started(item: Item, called?: unknown): void {
    if (typeof called === "string" && !/tty|\\u/.test(called)) this.#withoutInput.add(item.id)
    const command = commandText(item)
    const { cwd } = item
    this.#running.add(item.id)
    this.calls.call(item.id, { name: "exec_command", arguments: { command, cwd }, kind: "execute", title: command })
  }

  /** `false`: of one whose turn is over; its end will tell all of it. */
  output(id: string, text: string): boolean {
    if (!this.#running.has(id)) return false
    this.calls.output(id, text)
    return true
  }

  completed(item: Item): void {
    const { id, status, exitCode, durationMs } = item
    this.#withoutInput.delete(id)
    const declined = status === "declined"
    const failed = status !== "completed"
    const output = declined ? this.calls.refusal(id) : (item.aggregatedOutput ?? "")
    const facts = { ...(exitCode != null && { exitCode }), ...(durationMs != null && { durationMs }) }
    const more = Object.keys(facts).length === 0 ? [] : [{ type: "json" as const, json: facts }]
    if (this.#detached.delete(id)) this.calls.late(id, { output, failed, more })
    else if (!this.#dropped.delete(id)) {
      if (!this.#running.has(id)) this.started(item)
      this.#running.delete(id)
      this.calls.result(id, { output, failed, more })
    }
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when none of these runs. */
  async ended(ids: readonly string[]): Promise<void> {
    const runs = (id: string) => this.#running.has(id) || this.#detached.has(id)
    while (ids.some(runs)) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** The turn is over and these still run. */
  detach(): void {
    for (const id of this.#running) {
      this.#detached.add(id)
      this.calls.result(id, { output: "The command goes on in the background.", detached: true })
    }
    this.#running.clear()
  }

  /** The turn was interrupted: what still runs has no end that anybody waits for. */
  drop(): void {
    for (const id of this.#dropped) this.#withoutInput.delete(id)
    this.#dropped.clear() // ends that have not come by now never will
    for (const id of this.#running) this.#dropped.add(id)
    this.#running.clear()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
