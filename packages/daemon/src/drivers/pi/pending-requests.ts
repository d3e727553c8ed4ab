import { piLimits } from "@sandbox-agent/schema/driver-limits"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { jsonHead } from "@sandbox-agent/schema/json-head"
import type { NativeAnswer } from "../../core/driver.ts"
import type { LineOutcome, LineSink, RequestSink, SessionSink } from "../../core/driver-sink.ts"
import type { Confinement } from "../../files/confinement.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import { refusalText } from "../shared/refusal.ts"
import { absolutePath, proposedDiff } from "./files.ts"
import type { DialogLine } from "./native.ts"
import { permissionOf, type ToolAsk } from "./permission.ts"
import { type DialogAnswer, dialogAnswer, dialogQuestion, questionsOf } from "./question.ts"
import { fileTools, pathOf } from "./tools.ts"

/** How the dialogs of our extension begin (`extension/sandbox-agent.ts`); JSON follows. */
export const MARK = "sandbox-agent/1 "

interface Pending {
  /** The call it is about. */
  call?: string
  /** Asked while no turn ran. */
  background?: boolean
  reply(answer: NativeAnswer): DialogAnswer
}

export interface Answering {
  write(line: object): Promise<void>
}

/** What Pi's extensions ask and wait for: ours for tools and questions, the user's for whatever they like. */
export class PendingRequests {
  readonly #open = new Map<string, Pending>()
  /** What calls that wait would do to a file. */
  readonly #diffs = new Map<string, string>()
  /** Somebody can be asked. */
  ready = false
  /** A turn runs. */
  busy: () => boolean = () => false

  constructor(
    private readonly sink: LineSink & RequestSink & Pick<SessionSink, "status">,
    private readonly directory: string,
    private readonly reach: Confinement,
    private readonly answering: Answering,
  ) {}

  takeDiff = (call: string): string | undefined => {
    const diff = this.#diffs.get(call)
    this.#diffs.delete(call)
    return diff
  }

  request(line: DialogLine): LineOutcome {
    const ours = saidByUs(line.title)
    if (ours?.kind === "permission") return this.#tool(line, ours)
    if (ours?.kind === "questions") return this.#questions(line, ours)
    const question = dialogQuestion(line)
    if (question === undefined) return this.#shown(line)
    // While it starts nobody could answer.
    if (!this.ready) return this.#write(line.id, { cancelled: true })
    const background = !this.busy()
    this.#open.set(line.id, { background, reply: (answer) => dialogAnswer(line, answer) })
    this.#watch(line)
    this.sink.ask({ key: line.id, background, ...question }, this)
  }

  /** A line that cannot be read, whole or as what it is. If it asks for something, its extension waits. */
  unread(raw: string): void {
    const head = jsonHead(raw)
    const id = head.get("id")
    if (head.get("type") !== "extension_ui_request" || typeof id !== "string") return
    this.#unask(id)
    this.#write(id, { cancelled: true })
  }

  async answer(key: string, answer: NativeAnswer): Promise<void> {
    const asked = this.#open.get(key)
    if (asked === undefined) return
    this.#open.delete(key)
    await this.answering.write({ type: "extension_ui_response", id: key, ...asked.reply(answer) })
  }

  /** The call came to its end: whatever was asked for it, Pi does not wait any more. */
  callEnded(call: string): void {
    for (const [key, pending] of this.#open) if (pending.call === call) this.#unask(key)
  }

  /** The turn is over, and with it what was asked in it; an extension that still waits is told so. */
  turnEnded(): void {
    for (const [key, { call, background }] of this.#open) {
      if (background) continue
      this.#unask(key)
      if (call === undefined) this.#write(key, { cancelled: true })
    }
    this.#diffs.clear()
  }

  #unask(key: string): void {
    if (this.#open.delete(key)) this.sink.unask(key)
  }

  #tool(line: DialogLine, said: Json): void {
    const ask: ToolAsk = {
      call: text(said.toolCallId) ?? "",
      tool: text(said.toolName) ?? "unknown",
      input: record(said.input),
    }
    const { call, tool, input } = ask
    this.#open.set(line.id, { call, reply: verdict })
    const put = (diff?: string) => this.sink.ask({ key: line.id, call, ...permissionOf(ask, diff) }, this)
    const named = fileTools.includes(tool) ? pathOf(input) : undefined
    if (named === undefined) return put()
    const path = absolutePath(named, this.directory)
    this.sink.after(proposedDiff(tool, input, path, this.reach), (diff) => {
      if (!this.#open.has(line.id)) return // it was given up meanwhile
      if (diff !== undefined) this.#diffs.set(call, diff)
      put(diff)
    })
  }

  #questions(line: DialogLine, said: Json): void {
    const call = text(said.toolCallId) ?? ""
    this.#open.set(line.id, { call, reply: answersOf })
    this.sink.ask({ key: line.id, call, ...questionsOf(list(said.questions)) }, this)
  }

  /** Of what is only shown a note is for people; the rest is for a screen. */
  #shown({ id, method, message }: DialogLine): LineOutcome {
    if (method === "notify") return this.sink.status("notify", message?.slice(0, piLimits.noteChars))
    if (screen.includes(method)) return
    // It may be one that waits: where it is not, this is for nobody.
    this.#write(id, { cancelled: true })
    return "unknown"
  }

  /** Pi goes on without an answer, and does not say so. */
  #watch({ id, timeout }: DialogLine): void {
    if (timeout !== undefined) setTimeout(() => this.#unask(id), timeout).unref()
  }

  #write(id: string, answer: DialogAnswer): void {
    ignoreGone(this.answering.write({ type: "extension_ui_response", id, ...answer }))
  }
}

const screen = ["setWidget", "setTitle", "set_editor_text"]

/** `undefined`: it is a dialog of somebody else. */
function saidByUs(title: string | undefined): Json | undefined {
  return title?.startsWith(MARK) ? record(parseOfAgent(title.slice(MARK.length))) : undefined
}

const value = (said: object): DialogAnswer => ({ value: JSON.stringify(said) })

/** Always for this once: rules are the core's. */
const verdict = (answer: NativeAnswer): DialogAnswer =>
  answer.kind === "permission" && answer.reply === "once"
    ? value({ allow: true })
    : value({ refuse: refusalText(answer.kind === "permission" ? answer.message : undefined) })

const answersOf = (answer: NativeAnswer): DialogAnswer =>
  answer.kind === "question"
    ? value({ answers: answer.answers })
    : value({ refuse: answer.kind === "question_rejected" ? answer.message : undefined })
