import { fill } from "../flows.ts"
import type { Message } from "../wire.ts"

export type Json = Record<string, unknown>

/** With the headers of the official transport, or without at an address of its own. */
export interface Form {
  kind: "official" | "headerless"
  path: string
  agent: string
}

/** Its POST broke: nobody knows whether it was taken. An answer may still come on a stream. */
export class Unsure extends Error {}

/** Answered with an error. */
export class Refused extends Error {
  constructor(readonly error: NonNullable<Message["error"]>) {
    super(JSON.stringify(error))
  }
}

/** A request of the daemon and what was decided on it. */
export interface Decision {
  optionId?: string
  /** How often it was asked. */
  asked: number
  /** How often the answer was posted: more than once when a POST broke. */
  posted: number
}

/** A client that lives through cuts and kills, and keeps all that it is told. */
export interface ChaosClient {
  readonly form: Form
  readonly capabilities: Json
  readonly decisions: Map<string, Decision>
  /** Answers by the id of the request, wherever they came. */
  readonly answers: Map<number, Message>
  /** The header of its connection, once it has one. */
  readonly headers: Record<string, string>
  initialize(): Promise<void>
  /** Rejects with Unsure or Refused; with anything else the test has failed. */
  request(method: string, params: Json, numbered?: (id: number) => void): Promise<Message>
  /** What came for a session, in its order. */
  logOf(session: string): Message[]
  close(): Promise<void>
}

/** Chooses by the dice, so that what was decided can be told from what was not. */
export function decide(method: string, params: Json, random: () => number): { optionId?: string; result: Json } {
  if (method === "elicitation/create") return { optionId: "form", result: fill(params) }
  const options = params.options as { optionId: string; kind: string }[]
  const kind = random() < 0.7 ? "allow_once" : "reject_once"
  const { optionId } = options.find((one) => one.kind === kind) ?? options[0] ?? {}
  return { optionId, result: { outcome: { outcome: "selected", optionId } } }
}

/** Nothing here takes minutes: whatever does, hangs. */
export async function within<T>(work: Promise<T>, what: () => string, ms = 90_000): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it hangs: ${what()}`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
