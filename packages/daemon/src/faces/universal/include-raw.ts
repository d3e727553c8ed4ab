import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { limits } from "@sandbox-agent/schema/limits"
import { frame } from "../../store/frames.ts"
import type { Log } from "../../store/log.ts"
import type { LogReader, StoredText } from "../../store/reader.ts"
import type { Transform } from "../http/reading.ts"

const encoder = new TextEncoder()

/** An event's JSON with the native line it came from. A line that is JSON is passed on as JSON. */
export function withRaw(reader: LogReader, log: Log, { json, raw, sequence }: StoredText): string {
  if (raw === 0) return json
  const line = reader.line(log, raw, sequence)
  if (line === undefined) return json
  return `${json.slice(0, -1)},"raw":${isJson(line) ? line : JSON.stringify(line)}}`
}

/** The first of these events with their lines: as many as a page holds, and at least one. */
function* pageWithRaw(reader: LogReader, log: Log, texts: readonly StoredText[]): Generator<[number, string]> {
  let size = 0
  for (const text of texts) {
    // Many events may come from one line, and each brings it along.
    if (size >= limits.eventsPageChars) break
    const whole = withRaw(reader, log, text)
    size += whole.length
    yield [text.sequence, whole]
  }
  reader.forgetRaw()
}

/** The same for a run of frames. */
export function withRawFrames(reader: LogReader, log: Log): Transform {
  return {
    name: `raw ${log.uid}`,
    of: (run) => {
      const texts = reader.texts(log, run.first - 1, run.last - run.first + 1)
      const page = [...pageWithRaw(reader, log, texts)]
      const frames = page.map(([sequence, json]) => frame(sequence, json))
      return { bytes: encoder.encode(frames.join("")), end: false, last: page.at(-1)?.[0] ?? run.last }
    },
  }
}

function isJson(line: string): boolean {
  try {
    parseOfAgent(line)
    return !/[\r\n]/.test(line)
  } catch {
    return false
  }
}
