import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionUpdate } from "@agentclientprotocol/sdk"

/** What the agent by the official SDK keeps of its sessions: all it said and was told, one update in each line. */
export class KeptSessions {
  constructor(readonly folder: string) {}

  begin(sessionId: string, cwd: string): void {
    writeFileSync(this.#file(sessionId), `${JSON.stringify({ cwd })}\n`)
  }

  add(sessionId: string, update: SessionUpdate): void {
    appendFileSync(this.#file(sessionId), `${JSON.stringify(update)}\n`)
  }

  /** `undefined`: there is no such session. */
  past(sessionId: string): SessionUpdate[] | undefined {
    if (!existsSync(this.#file(sessionId))) return undefined
    return this.#lines(sessionId).slice(1) as SessionUpdate[]
  }

  list(): { sessionId: string; cwd: string }[] {
    return readdirSync(this.folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => name.replace(/\.jsonl$/, ""))
      .map((sessionId) => ({ sessionId, cwd: (this.#lines(sessionId)[0] as { cwd: string }).cwd }))
  }

  /** How the sessions were opened, in order. */
  opened(how: string, sessionId: string): void {
    appendFileSync(join(this.folder, "opened"), `${how} ${sessionId}\n`)
  }

  #lines(sessionId: string): unknown[] {
    const text = readFileSync(this.#file(sessionId), "utf8").trim()
    return text.split("\n").map((line) => JSON.parse(line) as unknown)
  }

  #file = (sessionId: string): string => join(this.folder, `${sessionId}.jsonl`)
}
