import { claudeLimits } from "@sandbox-agent/schema/driver-limits"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import type { Host, Kept, NativeRef } from "../../core/driver.ts"
import type { SessionSink } from "../../core/driver-sink.ts"
import { linesOf } from "../../files/lines-of.ts"
import { openRegular } from "../../files/regular-file.ts"
import { record, text } from "../shared/json.ts"
import { KeptFile } from "../shared/kept-file.ts"
import { sessionFile } from "./home.ts"
import type { Turns } from "./turns.ts"

/** What Claude Code has written of the session. It writes with a delay, and is looked at when that has passed. */
export class Transcript extends KeptFile {
  #timer: Timer | undefined

  constructor(
    ref: NativeRef,
    sink: Pick<SessionSink, "session">,
    host: Pick<Host, "reach">,
    private readonly turns: Pick<Turns, "busy">,
  ) {
    super(ref, sink, host, finder(ref))
  }

  turnEnded(): void {
    clearTimeout(this.#timer)
    // The first time at once: what is put in its place after that is seen to be another.
    if (!this.isNoted) void this.look()
    // In a turn it may take back what it wrote in that turn.
    this.#timer = setTimeout(() => this.turns.busy || void this.look(), claudeLimits.transcriptQuietMs)
    this.#timer.unref()
  }
}

/** There are as many folders as projects: they are gone through once. */
function finder(ref: NativeRef): () => Promise<string | undefined> {
  let found: { id: string; file: string } | undefined
  return async () => {
    const { id = "", home } = ref
    if (found?.id === id) return found.file
    const file = await sessionFile(home, id)
    found = file === undefined ? undefined : { id, file }
    return file
  }
}

/**
 * Whether what was last in it is there, with all that it followed on. Of a large transcript Claude Code itself leaves out
 * what it needs no more, like what came before a summary: that one follows on nothing.
 */
export async function holdsEntry({ file, last }: Kept, { reach }: Pick<Host, "reach">): Promise<boolean> {
  const parents = new Map<string, string | undefined>()
  const handle = await openRegular(file, reach)
  try {
    for await (const line of linesOf(handle, file)) {
      const { uuid, parentUuid } = entryOf(line)
      if (typeof uuid === "string") parents.set(uuid, text(parentUuid))
    }
  } finally {
    await handle.close()
  }
  const seen = new Set<string>()
  let id = last
  while (id !== undefined && parents.has(id) && !seen.has(id)) {
    seen.add(id)
    id = parents.get(id)
  }
  return id === undefined && seen.size > 0
}

function entryOf(line: string): ReturnType<typeof record> {
  try {
    return record(parseOfAgent(line))
  } catch {
    return {}
  }
}
