import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { frame } from "../../store/frames.ts"
import type { Log } from "../../store/log.ts"
import type { LogReader, Run, StoredText } from "../../store/reader.ts"

const encoder = new TextEncoder()

/** An event's JSON with the native line it came from. A line that is JSON is passed on as JSON. */
export function withRaw(reader: LogReader, log: Log, { json, raw, sequence }: StoredText): string {
  if (raw === 0) return json
  const line = reader.line(log, raw, sequence)
  if (line === undefined) return json
  return `${json.slice(0, -1)},"raw":${isJson(line) ? line : JSON.stringify(line)}}`
}

/** The same for a run of frames. */
export function withRawFrames(reader: LogReader, log: Log): (run: Run) => { bytes: Uint8Array; end: boolean } {
  return (run) => {
    const texts = reader.texts(log, run.first - 1, run.last - run.first + 1)
    const frames = texts.map((text) => frame(text.sequence, withRaw(reader, log, text)))
    reader.forgetRaw()
    return { bytes: encoder.encode(frames.join("")), end: false }
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
