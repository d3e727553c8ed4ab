import { mkdirSync, openSync, readFileSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"

/** One line of a session's file: what was said, and where turns ended (the points a fork can cut at). */
export type SessionRecord =
  | { type: "user"; message: string; text: string; brief?: string }
  | { type: "assistant"; text: string }
  | { type: "turn_end"; turn: string }

/** The id is encoded: it comes from outside and must not walk the disk. */
export const sessionFile = (home: string, id: string): string =>
  join(home, "sessions", `${encodeURIComponent(id)}.jsonl`)

/** Opened with the first record and for as long as its process lives. */
export class SessionFile {
  private descriptor: number | undefined

  constructor(private readonly path: string) {}

  append(records: readonly SessionRecord[]): void {
    this.descriptor ??= this.open()
    const bytes = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""))
    for (let at = 0; at < bytes.length; ) at += writeSync(this.descriptor, bytes, at)
  }

  private open(): number {
    mkdirSync(dirname(this.path), { recursive: true })
    return openSync(this.path, "a")
  }
}

/** For the agent itself; `undefined` when there is no such session. A last line torn by a kill is passed over. */
export function readRecords(file: string): SessionRecord[] | undefined {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch {
    return undefined
  }
  const end = text.lastIndexOf("\n")
  return text
    .slice(0, end + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as SessionRecord)
}

/** The records up to the end of a turn, or `undefined` when that turn never ended here. */
export function cutAfterTurn(records: SessionRecord[], turn: string): SessionRecord[] | undefined {
  const index = records.findIndex((record) => record.type === "turn_end" && record.turn === turn)
  return index < 0 ? undefined : records.slice(0, index + 1)
}
