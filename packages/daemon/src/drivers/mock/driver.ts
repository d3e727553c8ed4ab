import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Driver, PastItem } from "../../core/driver.ts"
import { capabilities, catalog, checkSettings } from "./catalog.ts"
import { openConnection } from "./connection.ts"
import { readRecords, sessionFile } from "./session-file.ts"

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
    async locate() {
      return { installed: true, version, source: "builtin", credentials: "available" }
    },
    check: checkSettings,
    async open(options, sink, host) {
      checkSettings(options.settings)
      return openConnection(launcher, options, sink, host)
    },
    async catalog() {
      return catalog
    },
    async *history(ref) {
      const records = ref.id === undefined ? undefined : readRecords(sessionFile(ref.home, ref.id))
      if (!records) throw new SandboxAgentError("not_found", `Mock has no session ${ref.id}`)
      for (const record of records) {
        if (record.type === "turn_end") continue
        yield { kind: "message", role: record.type, content: [{ type: "text", text: record.text }] } satisfies PastItem
      }
    },
  }
}
