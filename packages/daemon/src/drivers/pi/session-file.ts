import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { type Host, MemoryGone } from "../../core/driver.ts"
import { linesOf } from "../../files/lines-of.ts"
import { openRegular } from "../../files/regular-file.ts"
import { type Json, record } from "../shared/json.ts"

/** The lines of a session's file, the header first. Pi passes over what is not JSON, too. */
export async function* entriesOf(file: string, { reach }: Pick<Host, "reach">): AsyncIterable<Json> {
  const handle = await openRegular(file, reach)
  try {
    for await (const line of linesOf(handle, file)) {
      const entry = parsed(line)
      if (entry !== undefined) yield entry
    }
  } finally {
    await handle.close()
  }
}

function parsed(line: string): Json | undefined {
  try {
    return record(parseOfAgent(line))
  } catch {
    return undefined
  }
}

/** What stands before all entries: among others the directory that the session belongs to. */
export async function headerOf(file: string, host: Pick<Host, "reach">): Promise<Json> {
  for await (const entry of entriesOf(file, host)) {
    if (entry.type === "session") return entry
    break
  }
  throw new MemoryGone(`${file} is no session of Pi`)
}
