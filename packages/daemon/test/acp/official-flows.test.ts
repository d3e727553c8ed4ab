import { full } from "@sandbox-agent/test-agents/extent"
import { afterAll, afterEach, beforeAll, describe, test } from "vitest"
import { flows } from "./flows.ts"
import type { Transport } from "./sdk-client.ts"
import { type Subject, subjects } from "./subjects.ts"

/** Claude Code is a process per session, and slow to start: Codex shows the same. */
const played = subjects.filter(({ agent }) => full || agent !== "claude")

/** What differs between them is ours, and the mock shows it; with real agents both only in `npm run test:full`. */
const transportsOf = (agent: string): Transport[] => (full || agent === "mock" ? ["http", "websocket"] : ["http"])

describe.each(played)("with $agent", ({ agent, start }) => {
  let subject: Subject
  // The first run on a machine fetches the program.
  beforeAll(async () => {
    subject = await start()
  }, 600_000)
  // Some agents are a process per session.
  afterEach(async () => {
    const { api } = subject.daemon
    const { sessions } = await api.ok<{ sessions: { id: string }[] }>("GET", "/v1/sessions")
    for (const { id } of sessions) await api.ok("DELETE", `/v1/sessions/${id}`)
  })
  afterAll(() => subject?.[Symbol.asyncDispose]())

  describe.each(transportsOf(agent))("the official client over %s", (transport) => {
    test.each(Object.entries(flows))("%s", (_, flow) => flow(subject, transport), 180_000)
  })
})
