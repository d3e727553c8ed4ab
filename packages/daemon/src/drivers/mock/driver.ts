import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Driver, PastItem } from "../../core/driver.ts"
import { linesOf } from "../../files/lines-of.ts"
import { openRegular } from "../../files/regular-file.ts"
import { capabilities, catalog, checkSettings } from "./catalog.ts"
import { openConnection } from "./connection.ts"
import { type SessionRecord, sessionFile } from "./session-file.ts"

export interface MockOptions {
  /** What starts the agent program; its flags are added. */
  launcher: string[]
  version: string
}

/** The scripted agent: always there, needs no account. */
export function createMockDriver({ launcher, version }: MockOptions): Driver {
  return {
    spec: 1,
    agent: "mock",
    name: "Mock",
    stability: "stable",
    capabilities,
    forksAt: "turn",
    takes: { systemPrompt: false, skills: false, mcp: [] },
    programs: {
      locate: async () => ({ installed: true, version, source: "builtin", credentials: "available" }),
    },
    check: checkSettings,
    async open(options, sink, host) {
      checkSettings(options.settings)
      return openConnection(launcher, options, sink, host)
    },
    async catalog() {
      return catalog
    },
    carries: {
      find: async ({ id = "", home }) => sessionFile(home, id),
      place: async ({ id, bytes }, _, { home }) => ({ path: sessionFile(home, id), bytes }),
    },
    async *history(ref, { reach }) {
      const file = sessionFile(ref.home, ref.id ?? "")
      const handle = await openRegular(file, reach).catch(() => {
        throw new SandboxAgentError("not_found", `Mock has no session ${ref.id}`)
      })
      try {
        for await (const line of linesOf(handle, file)) yield* past(JSON.parse(line) as SessionRecord)
      } finally {
        await handle.close()
      }
    },
  }
}

function* past(record: SessionRecord): Iterable<PastItem> {
  if (record.type === "turn_end") return
  yield { kind: "message", role: record.type, content: [{ type: "text", text: record.text }] }
}
