import type { Exit } from "../../../src/core/driver-sink.ts"
import { RecordedProcess } from "../recorded-process.ts"

export interface Message {
  id?: number | string
  method?: string
  params?: Record<string, unknown> & { threadId?: string }
  result?: unknown
  error?: { message: string }
}

/** What concerns no thread, and what none of the transcripts tells, is answered at once. */
const answers: Record<string, unknown> = {
  initialize: {},
  "model/list": { data: [] },
  "config/read": { config: {} },
  "command/exec": { exitCode: 0 },
  "thread/backgroundTerminals/list": { data: [] },
  "thread/backgroundTerminals/terminate": {},
  "thread/inject_items": {},
  "thread/settings/update": {},
  "thread/archive": {},
  "thread/unarchive": {},
}

/** Stands where the server was, and may exit as it did. */
export class RecordedServer extends RecordedProcess<Message> {
  exit(exit: Exit): void {
    const { options } = this
    this.options = undefined
    options?.onExit(exit)
  }

  protected override wrote(line: Message): void {
    if (line.method !== undefined && line.method in answers && line.id !== undefined)
      return queueMicrotask(() => this.say({ id: line.id, result: answers[line.method ?? ""] }))
    super.wrote(line)
  }
}
