import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { choose, type Json, SdkClient, type SdkOptions, type Transport } from "./sdk-client.ts"
import type { Subject } from "./subjects.ts"

/** What the official client does with any agent, over either transport. */
export type Flow = (subject: Subject, transport: Transport) => Promise<void>

const clientOf = ({ daemon, agent }: Subject, transport: Transport, options: SdkOptions = {}) =>
  new SdkClient(daemon, transport, { query: `?agent=${agent}`, ...options })

const load = (sdk: SdkClient, sessionId: string, cwd: string) =>
  sdk.ask("session/load", { sessionId, cwd, mcpServers: [] })

/** The first choice of everything in a form; words of one's own are left out. */
export function fill(params: Json): Json {
  const { properties } = params.requestedSchema as { properties: Record<string, Json> }
  const content = Object.entries(properties).map(([key, { type, oneOf, items }]) => {
    const choices = (oneOf ?? (items as Json | undefined)?.anyOf) as { const: string }[] | undefined
    const first = choices?.[0]?.const ?? "words"
    return [key, type === "array" ? [first] : type === "boolean" ? true : first]
  })
  return { action: "accept", content: Object.fromEntries(content.filter(([key]) => !String(key).endsWith("_other"))) }
}

export const flows: Record<string, Flow> = {
  async "prompts, and gets the text in chunks before the answer"(subject, transport) {
    const { daemon, words } = subject
    await using sdk = clientOf(subject, transport)
    const id = await sdk.begin({ cwd: subject.folder() })
    expect(await sdk.prompt(id, words.say)).toMatchObject({ stopReason: "end_turn" })
    expect(sdk.said(id)).toBe(words.said)
    expect(sdk.said(id, "user_message_chunk")).toBe(words.say)
    const { items } = await daemon.api.items(id)
    expect(items.findLast(({ role }) => role === "assistant")?.content).toEqual([{ type: "text", text: words.said }])
  },

  async "allows what the agent asks for: it is done"(subject, transport) {
    const cwd = subject.folder()
    await using sdk = clientOf(subject, transport, { answers: { "session/request_permission": choose("allow_once") } })
    const id = await sdk.begin({ cwd })
    expect(await sdk.prompt(id, subject.words.permission)).toMatchObject({ stopReason: "end_turn" })
    expect(sdk.asked).toHaveLength(1)
    expect(existsSync(join(cwd, "made-by-the-agent"))).toBe(true)
    expect(await decided(subject, id)).toMatchObject([{ status: "accept", by: "client" }])
  },

  async "refuses by kind: the refusal reaches the agent"(subject, transport) {
    const cwd = subject.folder()
    await using sdk = clientOf(subject, transport, { answers: { "session/request_permission": choose("reject_once") } })
    const id = await sdk.begin({ cwd })
    expect(await sdk.prompt(id, subject.words.permission)).toMatchObject({ stopReason: "end_turn" })
    expect(existsSync(join(cwd, "made-by-the-agent"))).toBe(false)
    expect(await decided(subject, id)).toMatchObject([{ status: "reject", by: "client" }])
    // Who answered is not told to stop asking.
    expect([sdk.asked.length, sdk.cancelled]).toEqual([1, []])
  },

  async "answers a question in a form where it can show one"(subject, transport) {
    const capabilities = { elicitation: { form: {} } }
    await using sdk = clientOf(subject, transport, { capabilities, answers: { "elicitation/create": fill } })
    const id = await sdk.begin({ cwd: subject.folder() })
    expect(await sdk.prompt(id, subject.words.question)).toMatchObject({ stopReason: "end_turn" })
    expect(sdk.asked.map(({ method }) => method)).toEqual(["elicitation/create"])
    expect(await answered(subject, id)).toMatchObject([{ status: "answered", answers: [["Red"]] }])
  },

  async "answers a question as a choice where it has no form"(subject, transport) {
    await using sdk = clientOf(subject, transport, { answers: { "session/request_permission": choose("allow_once") } })
    const id = await sdk.begin({ cwd: subject.folder() })
    expect(await sdk.prompt(id, subject.words.question)).toMatchObject({ stopReason: "end_turn" })
    expect(sdk.asked.map(({ method }) => method)).toEqual(["session/request_permission"])
    expect(await answered(subject, id)).toMatchObject([{ status: "answered", answers: [["Red"]] }])
  },

  async "cancels in the middle of a text, and goes on"(subject, transport) {
    const { words } = subject
    await using sdk = clientOf(subject, transport)
    const id = await sdk.begin({ cwd: subject.folder() })
    const hanging = sdk.prompt(id, words.long)
    await sdk.until(() => sdk.said(id).startsWith(words.begins))
    await sdk.tell("session/cancel", { sessionId: id })
    expect(await hanging).toMatchObject({ stopReason: "cancelled" })
    const before = sdk.said(id).length
    expect(await sdk.prompt(id, words.say)).toMatchObject({ stopReason: "end_turn" })
    expect(sdk.said(id).slice(before)).toBe(words.said)
  },

  async "cancels while it is asked: the request is taken back"(subject, transport) {
    const cwd = subject.folder()
    await using sdk = clientOf(subject, transport)
    const id = await sdk.begin({ cwd })
    const prompted = sdk.prompt(id, subject.words.permission)
    await sdk.until(() => sdk.asked.length === 1)
    await sdk.tell("session/cancel", { sessionId: id })
    expect(await prompted).toMatchObject({ stopReason: "cancelled" })
    await sdk.until(() => sdk.cancelled.length === 1)
    expect(await decided(subject, id)).toMatchObject([{ status: "cancelled" }])
    expect(existsSync(join(cwd, "made-by-the-agent"))).toBe(false)
  },

  async "loads a session: its history comes before the answer, and it goes on"(subject, transport) {
    const { words } = subject
    const cwd = subject.folder()
    await using first = clientOf(subject, transport, {
      answers: { "session/request_permission": choose("allow_once") },
    })
    const id = await first.begin({ cwd })
    await first.prompt(id, words.say)
    await first.prompt(id, words.permission)
    await using sdk = clientOf(subject, transport)
    await sdk.initialize()
    expect(await load(sdk, id, cwd)).toMatchObject({ modes: { currentModeId: expect.any(String) } })
    for (const kind of ["agent_message_chunk", "user_message_chunk"])
      expect(sdk.said(id, kind)).toBe(first.said(id, kind))
    expect(sdk.updates.map((one) => one.update.sessionUpdate)).toContain("tool_call_update")
    const before = sdk.said(id).length
    expect(await sdk.prompt(id, words.say)).toMatchObject({ stopReason: "end_turn" })
    expect(sdk.said(id).slice(before)).toBe(words.said)
  },

  async "lists its sessions, with what the daemon knows of them"(subject, transport) {
    await using sdk = clientOf(subject, transport)
    const cwd = subject.folder()
    const id = await sdk.begin({ cwd })
    await sdk.prompt(id, subject.words.say)
    const { sessions } = await sdk.ask<{ sessions: Json[] }>("session/list", { cwd })
    const { agent } = subject
    expect(sessions).toMatchObject([{ sessionId: id, cwd, _meta: { "sandboxagent.dev": { agent, ended: false } } }])
  },

  async "forks: the child knows what was said, and both go on"(subject, transport) {
    const { words } = subject
    const cwd = subject.folder()
    await using sdk = clientOf(subject, transport)
    const id = await sdk.begin({ cwd })
    await sdk.prompt(id, words.say)
    const { sessionId: child } = await sdk.ask<{ sessionId: string }>("session/fork", { sessionId: id, cwd })
    expect(await sdk.prompt(child, words.say)).toMatchObject({ stopReason: "end_turn" })
    if (subject.conversation !== undefined) expect(subject.conversation().split(words.say)).toHaveLength(3)
    expect(await sdk.prompt(id, words.say)).toMatchObject({ stopReason: "end_turn" })
    expect(sdk.said(id)).toBe(words.said.repeat(2))
    await using second = clientOf(subject, transport)
    await second.initialize()
    await load(second, child, cwd)
    expect(second.said(child)).toBe(words.said.repeat(2))
    const { sessions } = await sdk.ask<{ sessions: { sessionId: string }[] }>("session/list", { cwd })
    expect(new Set(sessions.map(({ sessionId }) => sessionId))).toEqual(new Set([id, child]))
  },
}

const decided = async ({ daemon }: Subject, id: string) =>
  (await daemon.api.events(id)).flatMap((event) => (event.type === "permission.resolved" ? [event.data] : []))

const answered = async ({ daemon }: Subject, id: string) =>
  (await daemon.api.events(id)).flatMap((event) => (event.type === "question.resolved" ? [event.data] : []))
