import type { Event } from "@sandbox-agent/schema/event"
import { expect, test } from "vitest"
import { seeded } from "../../durability/survivor.ts"
import { startDaemon } from "../../harness/daemon.ts"
import { text } from "../wire.ts"
import { BareClient } from "./bare-client.ts"
import { type Form, Unsure, within } from "./client.ts"
import { FaultyProxy } from "./faulty-proxy.ts"

const SEED = Number(process.env.CUT_SEED ?? 42)
const forms: Form[] = [
  { kind: "official", path: "/v1/rpc", agent: "mock" },
  { kind: "headerless", path: "/v1/rpc", agent: "mock" },
  { kind: "headerless", path: "/v1/acp/again", agent: "mock" },
]
const cases = forms.flatMap((form) => ["session/load", "session/resume"].map((method) => ({ ...form, form, method })))
const scripts = ["/permission echo one", "/question", "/permission echo two\n/permission echo three"]

const isRequest = ({ type }: Event) => type === "permission.requested" || type === "question.requested"

test.each(cases)(
  `who is asked and goes for good: who comes instead with $method at $path ($kind) is asked all of it (seed ${SEED})`,
  async ({ form, method }) => {
    await using daemon = await startDaemon()
    const random = seeded(SEED)
    const port = Number(new URL(daemon.url).port)
    const lines = [await FaultyProxy.to(port, random), await FaultyProxy.to(port, random)]
    const clients = lines.map((line) => new BareClient(line.url, daemon.token, form, {}, random, () => undefined))
    const [gone, next] = clients as [BareClient, BareClient]
    gone.silent = true
    await gone.initialize()
    const ids = scripts.map((_, n) => `asked-${n}`)
    for (const [n, id] of ids.entries()) {
      const meta = { "sandboxagent.dev": { requestedSessionId: id } }
      await gone.request("session/new", { cwd: "/tmp", mcpServers: [], _meta: meta })
      // Never answered to whoever has asked: that one is gone.
      gone.request("session/prompt", { sessionId: id, prompt: text(scripts[n] ?? "") }).catch(() => undefined)
      await daemon.api.until(id, n === 1 ? "question.requested" : "permission.requested")
    }
    await gone.close()
    lines[0]?.stop()
    await next.initialize()
    // Without headers nothing tells the one that is gone from the one that has come: an answer may be the other's.
    if (form.kind === "official") lines[1]?.rough()
    const asked = new Map<string, number>()
    for (const sessionId of ids)
      for (let answered = false; !answered; ) {
        asked.set(sessionId, (asked.get(sessionId) ?? 0) + 1)
        const done = next.request(method, { sessionId, cwd: "/tmp", mcpServers: [] })
        answered = await done.then(
          () => true,
          (error) => {
            if (error instanceof Unsure) return false
            throw error
          },
        )
      }
    for (const id of ids) {
      const ended = await within(daemon.api.until(id, "turn.ended"), () => `${id}: its requests are asked of nobody`)
      expect(ended.data.stop_reason).toBe("end_turn")
      const events = await daemon.api.events(id)
      const resolved = events.filter(({ type }) => type === "permission.resolved" || type === "question.resolved")
      expect(resolved).toHaveLength(events.filter(isRequest).length)
      for (const { data } of resolved) {
        const request = "permission_id" in data ? data.permission_id : "question_id" in data ? data.question_id : ""
        const decision = next.decisions.get(request)
        expect(decision?.asked).toBeGreaterThanOrEqual(1)
        // No more often than it has come: without headers the stream itself is one time.
        const came = (asked.get(id) ?? 0) + (form.kind === "headerless" ? 1 : 0)
        expect(decision?.asked).toBeLessThanOrEqual(came)
      }
    }
    await next.close()
    lines[1]?.stop()
  },
  180_000,
)
