import type { Event } from "@sandbox-agent/schema/event"
import type { Permission, PermissionReply, Question } from "@sandbox-agent/schema/request"
import { chosen } from "../ask.ts"
import { besideSubject, permissionText } from "../event-text.ts"
import type { Paint } from "../print.ts"
import type { Editor } from "./editor.ts"
import type { Key } from "./keys.ts"
import { diffRows } from "./tool-text.ts"
import { cleanLines, wrapped } from "./wrap.ts"

/** Who is writing when a permission comes needs a moment to see it: their keys were meant for the line. */
const readMs = 400

type Open = { id: string; permission: Permission } | { id: string; question: Question; answers: string[][] }

/** What comes of it: the words after the session's path, and the body. */
export interface Reply {
  readonly path: string
  readonly body: object
  /** How it is told in the conversation. */
  readonly said: string
}

/** What the agent asks, one after the other, answered by keys. */
export class OpenRequests {
  #open: Open[] = []
  #unreadUntil = 0
  /** A no is being given its reason. */
  #refusing = false

  constructor(
    private readonly paint: Paint,
    private readonly width: () => number,
    private readonly short: (text: string) => string = (text) => text,
    private readonly now: () => number = Date.now,
  ) {}

  get current(): Open | undefined {
    return this.#open[0]
  }

  /** Whether a line is being written for it; a permission is answered by one key. */
  get takesText(): boolean {
    return this.current !== undefined && ("question" in this.current || this.#refusing)
  }

  see(event: Event): void {
    if (event.type === "permission.resolved") this.#drop(event.data.permission_id)
    else if (event.type === "question.resolved") this.#drop(event.data.question_id)
    // What a rule or the mode decides says so at once.
    else if (event.type === "permission.requested" && event.data.by === undefined) this.permission(event.data)
    else if (event.type === "question.requested") this.question(event.data)
  }

  permission(permission: Permission): void {
    this.#add({ id: permission.permission_id, permission })
  }

  question(question: Question): void {
    this.#add({ id: question.question_id, question, answers: [] })
  }

  /** Somebody was writing just now: no key counts until they pause. */
  writing(): undefined {
    this.#unreadUntil = this.now() + readMs
  }

  rows(): string[] {
    const { current, paint } = this
    if (current === undefined) return []
    const more = this.#open.length > 1 ? paint("dim", `  (${this.#open.length - 1} more)`) : ""
    if ("permission" in current) return this.#permissionRows(current.permission, more)
    const part = current.question.questions[current.answers.length]
    if (part === undefined) return []
    const options = part.options.flatMap(({ label, description }, i) => {
      const words = `${i + 1}. ${cleanLines(label).join(" ")}${description ? ` — ${cleanLines(description).join(" ")}` : ""}`
      return wrapped(`  ${words}`, this.width(), "     ")
    })
    const how =
      part.options.length === 0
        ? "Enter answers, Esc refuses"
        : `${part.multi_select ? "numbers or labels, separated by commas" : "number or label"}${part.allow_other ? ", or your own words" : ""}; Esc refuses`
    const prompt = cleanLines(part.prompt).flatMap((line) => wrapped(line, this.width() - 2, "  "))
    return [`${paint("yellow", "?")} ${prompt.join("\n  ")}${more}`, ...options, paint("dim", `  ${how}`)].flatMap(
      (row) => row.split("\n"),
    )
  }

  /** What a key means for the request in front; `undefined`: nothing yet. */
  press(key: Key, editor: Editor): Reply | undefined {
    const { current } = this
    if (current === undefined) return undefined
    if ("question" in current) return this.#answerQuestion(current, key, editor)
    if (this.#refusing) return this.#reason(current.permission, key, editor)
    if (this.now() < this.#unreadUntil) return this.writing()
    if (key.type !== "text") return undefined
    const choice = { y: "once", a: "always", n: "reject" }[key.text.toLowerCase()] as PermissionReply | undefined
    if (choice === undefined || !this.#choices(current.permission).includes(choice)) return undefined
    if (choice !== "reject") return this.#decided(current.permission, choice)
    this.#refusing = true
    editor.clear()
    return undefined
  }

  #reason(permission: Permission, key: Key, editor: Editor): Reply | undefined {
    if (key.type === "escape") {
      this.#refusing = false
      editor.clear()
    } else if (key.type === "enter") {
      const message = editor.text.trim()
      editor.clear()
      return this.#decided(permission, "reject", message)
    } else editor.press(key)
    return undefined
  }

  #answerQuestion(open: Extract<Open, { question: Question }>, key: Key, editor: Editor): Reply | undefined {
    const path = `questions/${encodeURIComponent(open.id)}`
    if (key.type === "escape") {
      editor.clear()
      this.#drop(open.id)
      return { path: `${path}/reject`, body: {}, said: `refused: ${open.question.prompt}` }
    }
    if (key.type !== "enter") {
      editor.press(key)
      return undefined
    }
    const part = open.question.questions[open.answers.length]
    const answer = part && chosen(part, editor.text)
    if (answer === undefined) return undefined
    editor.clear()
    open.answers.push(answer)
    if (open.answers.length < open.question.questions.length) return undefined
    this.#drop(open.id)
    const said = open.question.questions.map(
      ({ prompt, secret }, i) => `${prompt} ${secret ? "…" : (open.answers[i] ?? []).join(", ")}`,
    )
    return { path: `${path}/reply`, body: { answers: open.answers }, said: said.join("; ") }
  }

  #decided(permission: Permission, reply: PermissionReply, message = ""): Reply {
    this.#refusing = false
    this.#drop(permission.permission_id)
    const words = { once: "allowed once", always: "allowed for the session", reject: "refused" }[reply]
    return {
      path: `permissions/${encodeURIComponent(permission.permission_id)}/reply`,
      body: { reply, ...(message && { message }) },
      said: `${words}: ${permissionText(permission)}${message && ` (${message})`}`,
    }
  }

  #permissionRows(permission: Permission, more: string): string[] {
    const { paint } = this
    const width = this.width()
    const { command, path, diff } = permission.detail ?? {}
    const what =
      command === undefined
        ? path === undefined
          ? []
          : [`  ${this.short(path)}`]
        : cleanLines(command).map((line) => `  $ ${line}`)
    const shown = [
      ...[
        ...what,
        ...besideSubject(permission)
          .flatMap(cleanLines)
          .map((line) => `  ${line}`),
      ].flatMap((line) => wrapped(line, width, "    ")),
      ...(diff ? diffRows(diff, paint, width) : []),
    ]
    const keys = { once: "[y]es once", always: "[a]lways in this session", reject: "[n]o" }
    const choices = this.#choices(permission)
      .map((choice) => keys[choice])
      .join("   ")
    const head = wrapped(`${paint("yellow", "allow?")} ${cleanLines(permission.action).join(" ")}${more}`, width)
    return [
      ...head,
      ...shown,
      this.#refusing ? paint("dim", "  why not? Enter sends it, Esc goes back") : paint("bold", `  ${choices}`),
    ]
  }

  #choices({ choices }: Permission): readonly PermissionReply[] {
    return choices.length > 0 ? choices : ["once", "always", "reject"]
  }

  #add(open: Open): void {
    if (this.#open.some(({ id }) => id === open.id)) return
    this.#open.push(open)
  }

  #drop(id: string): void {
    const first = this.#open[0]?.id === id
    this.#open = this.#open.filter((one) => one.id !== id)
    if (first) this.#refusing = false
  }
}
