import { stat } from "node:fs/promises"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { limits } from "@sandbox-agent/schema/limits"
import type { Confinement } from "../../files/confinement.ts"
import { readRegularFrom } from "../../files/regular-file.ts"
import { record, text } from "../shared/json.ts"
import type { Item } from "./native.ts"

/**
 * The file Codex writes a thread to. Only a new thread can be asked for its raw items: of one that was resumed or forked
 * the calls that never became items are read here, as far as the file has grown.
 */
export class Rollout {
  private constructor(
    private readonly path: string,
    private offset: number,
    private readonly reach: Confinement,
  ) {}

  /** From where it ends now. */
  static async at(path: string, reach: Confinement): Promise<Rollout> {
    const found = await stat(path).catch(() => undefined) // its file comes with the first turn
    return new Rollout(path, found?.size ?? 0, reach)
  }

  /** What the model called and was answered since the last look. Whole lines: one that is being written waits. */
  async calls(): Promise<Item[]> {
    const grown = await readRegularFrom(this.path, this.offset, limits.agentLineBytes, this.reach)
    if (grown === undefined) return []
    const end = grown.bytes.lastIndexOf(0x0a) + 1
    if (end === 0) return []
    this.offset = grown.start + end
    return grown.bytes
      .toString("utf8", 0, end)
      .split("\n")
      .flatMap((line) => callIn(line))
  }
}

function callIn(line: string): Item[] {
  // Most lines are of no interest, and some are long.
  if (!line.includes('"call_id"')) return []
  try {
    const { type, payload } = record(parseOfAgent(line))
    const item = record(payload)
    return type === "response_item" && text(item.call_id) !== undefined ? [item as unknown as Item] : []
  } catch {
    return [] // the file is not ours, and a torn line is no call
  }
}
