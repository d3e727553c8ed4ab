import { type AnyMessage, client, methods } from "@agentclientprotocol/sdk"
import type { Event } from "@sandbox-agent/schema/event"
import { expect, test } from "vitest"
import { catalog } from "../../../src/drivers/mock/catalog.ts"
import { permissionAnswer, questionAnswer, type Response } from "../../../src/faces/acp/projection/answers.ts"
import { type Envelope, isRequest } from "../../../src/faces/acp/projection/envelope.ts"
import type { Sources } from "../../../src/faces/acp/projection/sources.ts"
import { startDaemon } from "../../harness/daemon.ts"
import { clients, projectLog } from "./log-projection.ts"
import { attend } from "./mock-session.ts"

const PATIENCE_MS = 120_000

interface Seen {
  updates: unknown[]
  requests: unknown[]
  extensions: { method: string; params: unknown }[]
  responses: Map<string, Response>
}

/** Gives envelopes to a client made with the official SDK, which checks and copies only what its schemas know. */
async function show(envelopes: readonly Envelope[]): Promise<Seen> {
  const seen: Seen = { updates: [], requests: [], extensions: [], responses: new Map() }
  const sent = new TransformStream<AnyMessage>()
  const back = new TransformStream<AnyMessage>()
  const app = client({ name: "editor" })
    .onNotification(methods.client.session.update, ({ params }) => {
      seen.updates.push(params)
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      seen.requests.push(params)
      return { outcome: { outcome: "selected", optionId: params.options[0]?.optionId ?? "" } }
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      seen.requests.push(params)
      return { action: "decline" }
    })
  for (const method of ["_sandboxagent/session/ended", "_sandboxagent/agent/unparsed"])
    app.onNotification(
      method,
      (params: unknown) => params,
      ({ params }) => {
        seen.extensions.push({ method, params })
      },
    )
  const connection = app.connect({ readable: sent.readable, writable: back.writable })
  const asked = envelopes.filter(isRequest).length
  const reading = (async () => {
    for await (const message of back.readable) {
      const { id, ...response } = message as { id: string } & Response
      seen.responses.set(id, response)
      if (seen.responses.size === asked) return
    }
  })()
  const writer = sent.writable.getWriter()
  for (const envelope of envelopes) await writer.write(JSON.parse(JSON.stringify(envelope)) as AnyMessage)
  if (asked > 0) await reading
  await writer.close()
  await connection.closed
  return seen
}

const wire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test(
  "the official client takes everything as it was meant, and what it answers is understood",
  async () => {
    await using daemon = await startDaemon()
    const { api } = daemon
    await api.create("one")
    const leave = attend(api, "one")
    const asks = "/permission echo x\n/question\n/questions\n/plan"
    await api.turn(
      "one",
      `hello\n/think hm\n${asks}\n/edit a.txt new\n/image\n/subagent\n/todo\n/usage\n/unknown\n/garbage`,
    )
    await api.ok("PATCH", "/v1/sessions/one", { model: "mock-small", agentMode: "plan", title: "T" })
    await leave()
    await api.ok("POST", "/v1/sessions/one/terminate", {})
    const events = await api.events("one")
    const settings = { agentMode: "build", permissionMode: "default" } as const
    const sources: Sources = { image: () => "aGk=", options: () => ({ settings, catalog }) }
    for (const traits of Object.values(clients)) {
      const resolved = (envelope: Envelope) => envelope.method !== "$/cancel_request"
      const envelopes = projectLog(events, traits, sources).filter(resolved)
      const seen = await show(envelopes)
      const of = (...names: string[]) => envelopes.filter(({ method }) => names.includes(method))
      expect(seen.updates).toMatchObject(of("session/update").map(({ params }) => wire(params)) as object[])
      const requests = of("session/request_permission", "elicitation/create")
      expect(requests.length).toBe(5)
      expect(seen.requests).toMatchObject(requests.map(({ params }) => wire(params)) as object[])
      expect(seen.extensions.map(({ method }) => method)).toEqual([
        "_sandboxagent/agent/unparsed",
        "_sandboxagent/session/ended",
      ])
      const answers = events.flatMap((event: Event): unknown[] => {
        if (event.type === "permission.requested")
          return [permissionAnswer(event.data, seen.responses.get(event.data.permission_id) ?? { error: {} })]
        if (event.type !== "question.requested" || !traits.form) return []
        return [questionAnswer(event.data, seen.responses.get(event.data.question_id) ?? { error: {} })]
      })
      const rejected = traits.form ? Array(3).fill({ kind: "rejected" }) : []
      const once = { kind: "permission", reply: "once" }
      expect(answers).toEqual([once, ...rejected, once])
    }
  },
  PATIENCE_MS,
)
