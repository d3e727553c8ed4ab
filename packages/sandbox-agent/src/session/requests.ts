import type { UniversalApi } from "../api/universal.ts"
import { isSandboxAgentError, ProblemError, SandboxAgentError } from "../errors.ts"
import type { CallOptions } from "../http/http.ts"
import { patiently } from "../http/patiently.ts"
import type { Limits } from "../limits.ts"
import type { Event, Permission, PermissionReply, Question } from "../types.ts"
import type { Feed } from "./feed.ts"

/** A permission that waits, with what answers it. */
export interface PermissionRequest extends Permission {
  /** Aborted when it is decided, by whomever. */
  signal: AbortSignal
  reply(reply: PermissionReply, options?: CallOptions & { message?: string }): Promise<void>
  allow(options?: CallOptions): Promise<void>
  allowAlways(options?: CallOptions): Promise<void>
  reject(message?: string, options?: CallOptions): Promise<void>
}

/** A question that waits, with what answers it. */
export interface QuestionRequest extends Question {
  signal: AbortSignal
  /** One array of chosen labels, or of free text, for each of `questions`. */
  reply(answers: string[][], options?: CallOptions): Promise<void>
  reject(message?: string, options?: CallOptions): Promise<void>
}

type Reply<Answer> = Answer | undefined | void | Promise<Answer | undefined> | Promise<void>
type Handled<Request, Answer> = (request: Request) => Reply<Answer>
/** May answer by what it returns, or later with the helpers of the request. */
export type PermissionHandler = Handled<PermissionRequest, PermissionReply>
export type QuestionHandler = Handled<QuestionRequest, string[][]>

/** Requests of one session that wait, told to those who handle them: each once, also those that were there before. */
export class Requests {
  readonly #api: UniversalApi
  readonly #id: string
  readonly #feed: Feed
  readonly #limits: Limits
  readonly #report: (error: Error) => void
  readonly #permissions = new Set<PermissionHandler>()
  readonly #questions = new Set<QuestionHandler>()
  readonly #open = new Map<string, { ended: AbortController; told: Set<unknown> }>()
  /** Decided since what waits was asked for: the answer may have them still. */
  readonly #decided = new Set<string>()
  #leave: (() => void) | undefined
  #stopped = new AbortController()
  #looking: Promise<void> = Promise.resolve()

  constructor(api: UniversalApi, id: string, feed: Feed, limits: Limits, report: (error: Error) => void) {
    this.#api = api
    this.#id = id
    this.#feed = feed
    this.#limits = limits
    this.#report = report
  }

  onPermission(handler: PermissionHandler): () => void {
    return this.#add(this.#permissions, handler)
  }

  onQuestion(handler: QuestionHandler): () => void {
    return this.#add(this.#questions, handler)
  }

  stop(): void {
    this.#permissions.clear()
    this.#questions.clear()
    this.#leave?.()
    this.#leave = undefined
    this.#stopped.abort()
    this.#stopped = new AbortController()
    for (const { ended } of this.#open.values()) ended.abort()
    this.#open.clear()
  }

  #add<H>(handlers: Set<H>, handler: H): () => void {
    handlers.add(handler)
    if (this.#leave === undefined) this.#begin()
    else this.#look()
    return () => {
      handlers.delete(handler)
      if (this.#permissions.size + this.#questions.size === 0) this.stop()
    }
  }

  #begin(): void {
    const { leave, ready } = this.#feed.listen({
      event: (event) => this.#event(event),
      failed: (error) => {
        this.stop()
        this.#report(error)
      },
      closed: () => this.stop(),
    })
    this.#leave = leave
    // Why it never came is told by `failed`.
    ready.then(
      () => this.#look(),
      () => undefined,
    )
  }

  #event(event: Event): void {
    switch (event.type) {
      case "permission.requested":
      case "question.requested":
        return this.#look()
      case "permission.resolved":
        return this.#end(event.data.permission_id)
      case "question.resolved":
        return this.#end(event.data.question_id)
      default:
    }
  }

  #end(id: string): void {
    this.#open.get(id)?.ended.abort()
    this.#open.delete(id)
    this.#decided.add(id)
  }

  /** The list and not the event: what a rule or the permission mode decides is requested, too, and waits for nobody. */
  #look(): void {
    this.#looking = this.#looking.then(async () => {
      const { signal } = this.#stopped
      if (this.#leave === undefined) return
      try {
        // No event tells again of what waits already.
        await patiently(this.#limits, signal, () => this.#list(signal))
      } catch (error) {
        // Leaving, or disposing the client, is no news to whoever did.
        if (signal.aborted || (isSandboxAgentError(error) && error.kind === "aborted")) return
        this.#report(isSandboxAgentError(error) ? error : new SandboxAgentError("protocol", String(error), error))
      }
    })
  }

  async #list(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    this.#decided.clear()
    const { permissions, questions } = await this.#api.listPending(this.#id)
    if (signal.aborted) return
    for (const permission of permissions) this.#permission(permission)
    for (const question of questions) this.#question(question)
  }

  #permission(permission: Permission): void {
    const { permission_id: id } = permission
    const reply = async (answer: PermissionReply, { message, ...options }: CallOptions & { message?: string } = {}) => {
      await this.#api.replyPermission(
        this.#id,
        id,
        { reply: answer, ...(message !== undefined && { message }) },
        options,
      )
    }
    this.#tell(id, this.#permissions, (handler, signal) => {
      const request: PermissionRequest = {
        ...permission,
        signal,
        reply,
        allow: (options) => reply("once", options),
        allowAlways: (options) => reply("always", options),
        reject: (message, options) => reply("reject", { ...options, message }),
      }
      this.#ask(() => handler(request), reply)
    })
  }

  #question(question: Question): void {
    const { question_id: id } = question
    const reply = async (answers: string[][], options?: CallOptions) => {
      await this.#api.replyQuestion(this.#id, id, answers, options)
    }
    const reject = async (message?: string, options: CallOptions = {}) => {
      await this.#api.rejectQuestion(this.#id, id, { ...options, message })
    }
    this.#tell(id, this.#questions, (handler, signal) => {
      this.#ask(() => handler({ ...question, signal, reply, reject }), reply)
    })
  }

  /** Each handler is told once, also one that came later. */
  #tell<H>(id: string, handlers: ReadonlySet<H>, tell: (handler: H, signal: AbortSignal) => void): void {
    if (this.#leave === undefined || this.#decided.has(id)) return
    const open = this.#open.get(id) ?? { ended: new AbortController(), told: new Set() }
    this.#open.set(id, open)
    for (const handler of [...handlers]) {
      if (open.told.has(handler)) continue
      open.told.add(handler)
      tell(handler, open.ended.signal)
    }
  }

  #ask<A>(handle: () => Reply<A>, reply: (answer: A) => Promise<void>): void {
    const asked = async () => {
      const answer = await handle()
      if (answer !== undefined) await reply(answer as A)
    }
    asked().catch((error: unknown) => {
      // Somebody else was faster.
      if (error instanceof ProblemError && error.code === "conflict") return
      this.#report(
        isSandboxAgentError(error) ? error : new SandboxAgentError("argument", `A handler threw: ${error}`, error),
      )
    })
  }
}
