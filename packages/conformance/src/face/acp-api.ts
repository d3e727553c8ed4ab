import type { Event } from "@sandbox-agent/schema/event"
import type { PostedMessage } from "@sandbox-agent/schema/message"
import type { Permission, PermissionReply, Question } from "@sandbox-agent/schema/request"
import type { Mcp, Session } from "@sandbox-agent/schema/session"
import type { McpServer } from "acp-http-client"
import { AcpRpcError } from "acp-http-client"
import { Api, type Change, type Fork } from "../api.ts"
import { only } from "../events.ts"
import { same } from "../expect.ts"
import { Refused } from "../refused.ts"
import type { Subject } from "../subject.ts"
import { chosenByKind, chosenByName, declined, filledIn, isForm, offersAlways } from "./answers.ts"
import { questionKey } from "./asked.ts"
import { daemonMetaIn, ours } from "./daemon-meta.ts"
import { FaceClient, type FaceOptions } from "./face-client.ts"
import type { FaceRun } from "./face-run.ts"
import { createdOverRest } from "./over-rest.ts"
import { blocksOf, type Prompt, sendPrompt } from "./prompts.ts"

/** The same things as over REST, done as an ACP client does them; what is left to REST stands in `over-rest.ts`. */
export class AcpApi extends Api {
  readonly prompts: Prompt[] = []
  readonly #directories = new Map<string, string>()
  #client: Promise<FaceClient> | undefined

  constructor(
    place: { url: string; token: string },
    readonly subject: Subject,
    readonly options: FaceOptions,
    readonly run: FaceRun,
    signal?: AbortSignal,
  ) {
    super(place.url, place.token, signal)
  }

  /** Connected with its first use. */
  get client(): Promise<FaceClient> {
    this.#client ??= this.connect()
    return this.#client
  }

  get connected(): boolean {
    return this.#client !== undefined
  }

  async connect(): Promise<FaceClient> {
    const client = new FaceClient(() => this, this.subject, this.options, this.run, this.signal)
    await client.initialize()
    return client
  }

  async close(): Promise<void> {
    await (await this.#client)?.http.close()
  }

  /** Where a session works; `session/load` has to say so. */
  directoryOf(id: string): string {
    return this.#directories.get(id) ?? "/"
  }

  override async create(
    id: string,
    body: Record<string, unknown> = {},
  ): Promise<{ healthy: boolean; session: Session }> {
    const { agent = this.subject.agent, directory, mcp = {}, agentMode: mode, ...rest } = body
    const cwd = String(directory)
    this.#directories.set(id, cwd)
    const client = await this.client
    if (createdOverRest.some((field) => body[field] !== undefined)) {
      this.run.rest.add("env")
      const created = await super.create(id, body)
      await orRefused(client.http.loadSession({ sessionId: id, cwd, mcpServers: [] }))
      return created
    }
    const meta = ours({ ...rest, agent, mode, requestedSessionId: id })
    const begun = await orRefused(client.http.newSession({ cwd, mcpServers: serversOf(mcp as Mcp), ...meta }))
    same(begun.sessionId, id, "the session's id")
    return { healthy: daemonMetaIn(begun).healthy !== false, session: await this.session(id) }
  }

  override async send(id: string, message: string, more: Record<string, unknown> = {}): Promise<PostedMessage> {
    if (more.delivery !== undefined) {
      const posted = await super.send(id, message, more)
      this.run.rest.add("steer")
      return posted
    }
    const { lastSequence } = await this.session(id)
    const prompt = await this.#prompt(id, message, more)
    const watch = new AbortController()
    const log = new Api(this.url, this.token, AbortSignal.any([watch.signal, ...(this.signal ? [this.signal] : [])]))
    const queued = log.until(id, "message.updated", ({ data }) => data.state === "queued", lastSequence)
    queued.catch(() => {}) // ended from here when the prompt was refused
    try {
      // An answer before the message is in the log can only be a refusal.
      const { data } = await Promise.race([queued, prompt.ended.then(() => queued)])
      prompt.messageId = data.message_id
      return { messageId: data.message_id, turnId: data.turn_id ?? "", position: data.position ?? 0 }
    } finally {
      watch.abort()
    }
  }

  override async turn(id: string, message: string, more: Record<string, unknown> = {}): Promise<Event[]> {
    const { lastSequence } = await this.session(id)
    const { turnId } = await (await this.#prompt(id, message, more)).ended
    const events = await this.events(id, "", lastSequence)
    const end = events.findIndex(({ type, data }) => type === "turn.ended" && data.turn_id === turnId)
    if (end < 0) throw new Error(`the prompt was answered, but turn ${turnId} has not ended`)
    return events.slice(0, end + 1)
  }

  /** `$/cancel_request` of the prompt. */
  override async withdraw(id: string, messageId: string): Promise<void> {
    const prompt = this.prompts.find((one) => one.session === id && one.messageId === messageId)
    await this.#forget(prompt)
    same((await prompt?.ended)?.stop, "cancelled", "the answer to a prompt that was withdrawn")
  }

  /** `session/cancel`; it takes back what the client has in the queue as well, so then only the prompt that runs. */
  override async cancel(id: string): Promise<string> {
    const events = await this.events(id)
    const turn = only(events, "turn.started").at(-1)?.data.turn_id
    if (turn === undefined || only(events, "turn.ended").some(({ data }) => data.turn_id === turn))
      throw new Refused("conflict", "no turn runs")
    const [running, ...waiting] = this.prompts.filter(({ session, end }) => session === id && end === undefined)
    if (waiting.length > 0) {
      this.run.met.add("queue")
      await this.#forget(running)
    } else await (await this.client).http.cancel({ sessionId: id })
    await this.until(id, "turn.ended", ({ data }) => data.turn_id === turn)
    return turn
  }

  override async reply(id: string, permission: Permission, reply: PermissionReply, message?: string): Promise<void> {
    const asked = await (await this.client).asked.of(permission.permission_id, this.signal)
    same("sessionId" in asked.params ? asked.params.sessionId : "", id, "the session of the permission")
    if (reply === "always" && !offersAlways(asked.params)) {
      this.run.rest.add("always")
      return super.reply(id, permission, reply, message)
    }
    asked.answer(chosenByKind(asked.params, reply, message))
  }

  override async answer(_: string, { question_id, questions }: Question, answers: string[][]): Promise<void> {
    const { asked } = await this.client
    const first = await asked.of(question_id, this.signal)
    if (isForm(first.params)) return first.answer(filledIn(first.params, answers))
    for (const k of questions.keys()) {
      const each = await asked.of(questionKey(question_id, k), this.signal)
      each.answer(chosenByName(each.params, answers[k]?.[0] ?? ""))
    }
  }

  override async reject(_: string, { question_id }: Question, message: string): Promise<void> {
    const asked = await (await this.client).asked.of(question_id, this.signal)
    asked.answer(isForm(asked.params) ? declined(message) : chosenByKind(asked.params, "reject", message))
  }

  override modes(agent: string): ReturnType<Api["modes"]> {
    this.run.rest.add("lists")
    return super.modes(agent)
  }

  override models(agent: string): ReturnType<Api["models"]> {
    this.run.rest.add("lists")
    return super.models(agent)
  }

  override events(...args: Parameters<Api["events"]>): ReturnType<Api["events"]> {
    this.run.rest.add("log")
    return super.events(...args)
  }

  override async change(id: string, { agentMode, ...options }: Change): Promise<undefined> {
    const { http } = await this.client
    if (agentMode !== undefined) await orRefused(http.setSessionMode({ sessionId: id, modeId: agentMode }))
    const names = { model: "model", variant: "variant", permissionMode: "permission_mode" } as const
    for (const [field, configId] of Object.entries(names)) {
      const value = options[field as keyof typeof names]
      if (value === undefined) continue
      const { configOptions } = await orRefused(http.setSessionConfigOption({ sessionId: id, configId, value }))
      same(configOptions.find((option) => option.id === configId)?.currentValue, value, `option ${configId}`)
    }
  }

  override async fork(id: string, fork: string, given: Fork = {}): Promise<{ healthy: boolean }> {
    const cwd = this.directoryOf(id)
    this.#directories.set(fork, cwd)
    const { http } = await this.client
    const params = { sessionId: id, cwd, mcpServers: [], ...ours({ requestedSessionId: fork, ...given }) }
    const forked = await orRefused(http.forkSession(params))
    same(forked.sessionId, fork, "the id of the fork")
    return { healthy: daemonMetaIn(forked).healthy !== false }
  }

  override async terminate(id: string): Promise<void> {
    await orRefused((await this.client).http.closeSession({ sessionId: id }))
  }

  override async resume(id: string): Promise<{ healthy: boolean }> {
    const { http } = await this.client
    await orRefused(http.resumeSession({ sessionId: id, cwd: this.directoryOf(id), mcpServers: [] }))
    const { error, status } = await this.session(id)
    return { healthy: error === undefined && status !== "ended" }
  }

  async #prompt(id: string, message: string, { attachments = [] }: Record<string, unknown>): Promise<Prompt> {
    const blocks = blocksOf(message, attachments as Parameters<typeof blocksOf>[1], this.directoryOf(id))
    const prompt = sendPrompt(await this.client, id, blocks)
    this.prompts.push(prompt)
    return prompt
  }

  async #forget(prompt: Prompt | undefined): Promise<void> {
    const requestId = prompt?.rpcId()
    if (requestId === undefined) throw new Error("no such prompt")
    await (await this.client).http.notify("$/cancel_request", { requestId })
  }
}

/** An error of the daemon, by its own code. */
async function orRefused<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (error) {
    if (!(error instanceof AcpRpcError)) throw error
    throw new Refused(String((error.data as { code?: unknown } | undefined)?.code), error.message)
  }
}

const serversOf = (mcp: Mcp): McpServer[] =>
  Object.entries(mcp).map(([name, server]) =>
    "url" in server
      ? { type: server.type, name, url: server.url, headers: pairs(server.headers) }
      : { name, command: server.command, args: server.args ?? [], env: pairs(server.env) },
  )

const pairs = (map: Record<string, string> = {}) => Object.entries(map).map(([name, value]) => ({ name, value }))
