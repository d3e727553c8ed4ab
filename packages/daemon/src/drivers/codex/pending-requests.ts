import type { NativeAnswer } from "../../core/driver.ts"
import type { LineSink, NativePermission, NativeQuestion, RequestSink, SessionSink } from "../../core/driver-sink.ts"
import { elicitationAnswer, elicitationQuestion } from "../shared/elicitation.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import { pathsOf } from "./files.ts"
import type {
  CommandApproval,
  Elicitation,
  FileApproval,
  Line,
  Params,
  PermissionsApproval,
  UserInputRequest,
} from "./native.ts"
import { commandPermission, filePermission, mcpPermission, morePermission } from "./permission.ts"
import { questionOf, userInputAnswer, userInputRefusal } from "./question.ts"
import type { Server } from "./server.ts"
import type { Thread } from "./thread.ts"

interface PendingRequest {
  id: number | string
  thread: Thread
  /** Call this is about. */
  call?: string
  what: NativePermission | NativeQuestion
  /** Files that it would change; none where nobody has seen which, as when the line that named them was too long. */
  files?: readonly string[]
  /** What goes back for an answer. Always for this once: rules are the core's. */
  answer(answer: NativeAnswer): unknown
  /** A refusal has no place for words; these go to the model beside it. */
  withoutText?: true
}

/** What Codex asks of us and waits for. */
export class PendingRequests {
  readonly #open = new Map<string, PendingRequest>()
  /** Answers to questions, until Codex says that it has them: that is when their calls are answered. */
  readonly #given = new Map<string, { thread: Thread; call: string; output: string }>()

  constructor(
    private readonly sink: LineSink & RequestSink & Pick<SessionSink, "status">,
    private readonly server: Server,
    /** Whether a file decides what is asked for. */
    private readonly decides: (path: string) => Promise<boolean>,
  ) {}

  get open(): number {
    return this.#open.size
  }

  /** `background`: of work that the session's own turn does not wait for. */
  request({ id = 0, method = "", params = {} }: Line, thread: Thread, background: boolean): void {
    const asked = askedOf(method, params, thread)
    if (asked === undefined) return this.notServed({ id, method })
    const key = String(id)
    this.#open.set(key, { id, thread, ...asked })
    const call = asked.call === undefined ? undefined : thread.calls.key(asked.call)
    // It has no item of its own.
    if (asked.what.type === "question" && asked.call !== undefined && method === "item/tool/requestUserInput") {
      const { questions } = params as UserInputRequest
      thread.calls.call(asked.call, { name: "request_user_input", arguments: { questions } })
    }
    const put = (what: NativePermission | NativeQuestion) =>
      this.sink.ask({ key, ...(call !== undefined && { call }), background, ...what }, this)
    const { what, files } = asked
    if (what.type === "question" || files === undefined) return put(what)
    // Where nobody could look it may be one of those.
    this.sink.after(this.#guards(files), (guarded = true) => {
      if (this.#open.has(key)) put({ ...what, guarded })
    })
  }

  /** One after the other: a patch may name thousands. */
  async #guards(files: readonly string[]): Promise<boolean> {
    if (files.length === 0) return true
    for (const file of files) if (await this.decides(file)) return true
    return false
  }

  notServed({ id = 0, method }: Line): void {
    const error = { code: -32601, message: `${method} is not served here` }
    ignoreGone(this.server.respond(id, { error }, this.sink))
  }

  /** It no longer waits; an answer now would be for nobody. */
  resolved(id: number | string | undefined): void {
    if (id === undefined) return
    const key = String(id)
    const given = this.#given.get(key)
    this.#given.delete(key)
    given?.thread.calls.result(given.call, { output: given.output })
    if (this.#open.delete(key)) this.sink.unask(key)
  }

  async answer(key: string, answer: NativeAnswer): Promise<void> {
    const asked = this.#open.get(key)
    if (asked === undefined) return
    this.#open.delete(key)
    const { thread, call, id } = asked
    const message = answer.kind !== "question" ? answer.message : undefined
    const refused = answer.kind === "permission" ? answer.reply === "reject" : answer.kind === "question_rejected"
    if (refused && call !== undefined && message) thread.calls.refuse(call, message)
    // Before the refusal, so that it stands behind the answer to the call when the model goes on.
    // Without them it is refused all the same: Codex waits.
    if (refused && message && asked.withoutText)
      await this.#sendToModel(thread.id, message).catch((error: unknown) =>
        this.sink.status("words_lost", `the model was not told why it was refused: ${String(error)}`),
      )
    const result = asked.answer(answer)
    if (asked.what.type === "question" && call !== undefined)
      this.#given.set(key, { thread, call, output: JSON.stringify(result) })
    await this.server.respond(id, { result }, this.sink)
  }

  /** The turn they were asked in is over. */
  withdraw(thread?: Thread): void {
    this.#given.clear()
    for (const [key, asked] of this.#open)
      if (thread === undefined || asked.thread === thread) {
        this.#open.delete(key)
        this.sink.unask(key)
      }
  }

  async #sendToModel(threadId: string, message: string): Promise<void> {
    const text = `The user did not allow this and said: ${message}`
    const items = [{ type: "message", role: "developer", content: [{ type: "input_text", text }] }]
    await this.server.request("thread/inject_items", { threadId, items }, { sink: this.sink })
  }
}

const allowed = (answer: NativeAnswer): boolean => answer.kind === "permission" && answer.reply === "once"
/** Never `cancel`: that ends the turn. Never an amendment: that is written into the user's home for good. */
const decision = (answer: NativeAnswer) => ({ decision: allowed(answer) ? "accept" : "decline" })

function askedOf(method: string, params: Params, thread: Thread): Omit<PendingRequest, "id" | "thread"> | undefined {
  const call = params.itemId
  switch (method) {
    case "item/commandExecution/requestApproval":
      return { call, what: commandPermission(params as CommandApproval), answer: decision, withoutText: true }
    case "item/fileChange/requestApproval": {
      const changes = call === undefined ? [] : thread.changesOf(call)
      const what = filePermission(params as FileApproval, changes)
      return { call, what, files: pathsOf(changes), answer: decision, withoutText: true }
    }
    case "item/permissions/requestApproval": {
      const ask = params as PermissionsApproval
      const answer = (given: NativeAnswer) => ({ permissions: allowed(given) ? ask.permissions : {}, scope: "turn" })
      return { what: morePermission(ask), answer, withoutText: true }
    }
    case "item/tool/requestUserInput": {
      const ask = params as UserInputRequest
      return { call, what: questionOf(ask), answer: (given) => inputAnswer(ask, given) }
    }
    case "mcpServer/elicitation/request":
      return elicited(params as Elicitation, thread)
  }
  return undefined
}

function inputAnswer(ask: UserInputRequest, given: NativeAnswer): unknown {
  if (given.kind === "question") return userInputAnswer(ask, given.answers)
  return userInputRefusal(ask, given.message)
}

/** Every field has to be there. */
const accepted = { action: "accept", content: {}, _meta: null } as const
const declined = { action: "decline", content: null, _meta: null } as const

function elicited(ask: Elicitation, thread: Thread): Omit<PendingRequest, "id" | "thread"> {
  if (ask._meta?.codex_approval_kind !== undefined) {
    const call = thread.mcpCall(ask.serverName)
    const answer = (given: NativeAnswer) => (allowed(given) ? accepted : declined)
    return { call: call?.id, what: mcpPermission(ask, call), answer, withoutText: true }
  }
  const answer = (given: NativeAnswer) => {
    const said = given.kind === "question" ? elicitationAnswer(ask, given.answers) : declined
    return said.action === "accept" ? { ...accepted, ...said } : declined
  }
  return { what: elicitationQuestion(ask), answer }
}
