import { cutAfterTurn, readRecords, SessionFile, type SessionRecord, sessionFile } from "../session-file.ts"
import type { Options } from "./options.ts"

/** The session on disk. Nothing is there before the first message: a session nobody spoke to cannot be resumed. */
export class Transcript {
  private readonly file: SessionFile
  durable: boolean = false

  constructor({ home, resume, forkFrom, forkAt }: Options, session: string) {
    this.file = new SessionFile(sessionFile(home, session))
    const source = resume ?? forkFrom
    if (source === undefined) return
    const records = readRecords(sessionFile(home, source))
    if (!records) throw new Error(`No session ${source}`)
    this.durable = true
    if (resume !== undefined) return
    const copied = forkAt === undefined ? records : cutAfterTurn(records, forkAt)
    if (!copied) throw new Error(`No turn ${forkAt} in session ${source}`)
    this.file.append(copied)
  }

  /** Tells whether the session became durable by this. */
  add(record: SessionRecord): boolean {
    this.file.append([record])
    const first = !this.durable
    this.durable = true
    return first
  }
}
