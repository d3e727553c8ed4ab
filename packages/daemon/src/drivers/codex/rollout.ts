import { closeSync, openSync, readSync, statSync } from "node:fs"
import { limits } from "@sandbox-agent/schema/limits"
import type { Item } from "./native.ts"
import { asTable, textIn } from "./values.ts"

/**
 * The file Codex writes a thread to. Only a new thread can be asked for its raw items: of one that was resumed or forked
 * the calls that never became items are read here, as far as the file has grown.
 */
export class Rollout {
  #offset: number

  constructor(private readonly path: string) {
    this.#offset = this.#size()
  }

  /** What the model called and was answered since the last look. */
  calls(): Item[] {
    return this.#grown()
      .split("\n")
      .flatMap((line) => callIn(line))
  }

  #size(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Whole lines; one that is being written waits for the next look. */
  #grown(): string {
    const size = this.#size()
    if (size <= this.#offset) return ""
    const from = Math.max(this.#offset, size - limits.agentLineBytes)
    const bytes = Buffer.alloc(size - from)
    const file = openSync(this.path, "r")
    try {
      const read = readSync(file, bytes, 0, bytes.length, from)
      const end = bytes.subarray(0, read).lastIndexOf(0x0a) + 1
      this.#offset = from + end
      return bytes.toString("utf8", 0, end)
    } finally {
      closeSync(file)
    }
  }
}

function callIn(line: string): Item[] {
  // Most lines are of no interest, and some are long.
  if (!line.includes('"call_id"')) return []
  try {
    const { type, payload } = asTable(JSON.parse(line))
    const item = asTable(payload)
    return type === "response_item" && textIn(item.call_id) !== undefined ? [item as unknown as Item] : []
  } catch {
    return [] // the file is not ours, and a torn line is no call
  }
}
