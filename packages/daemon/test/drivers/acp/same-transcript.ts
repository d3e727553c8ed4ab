import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { expect } from "vitest"
import type { Session } from "../../../src/core/session.ts"
import type { DriverStage } from "../stage.ts"

export type Fields = Readonly<Record<string, unknown>>

/** One thing a reader of the transcript sees. */
export interface Entry extends Fields {
  what: "item" | "plan" | "asked" | "answered" | "error" | "ended"
  parts: readonly Fields[]
}

/** Something in which agent and adapter differ. */
export interface Difference {
  /** As docs/acp.mdx has it. */
  what: string
  why: string
  /** What both have in common. */
  level(entries: readonly Entry[]): readonly Entry[]
}

/** One scene, told by the native driver and by the one that speaks ACP. */
export interface Transcripts {
  native: readonly Entry[]
  adapted: readonly Entry[]
}

const entry = (what: Entry["what"], fields: Fields, parts: readonly Fields[] = []): Entry => ({
  what,
  ...fields,
  parts,
})

/** The log of a session without what belongs to one run: ids, folders, figures that grow. */
export function transcriptOf(stage: DriverStage, session: Session = stage.session): Entry[] {
  const whole = JSON.stringify(stage.events(session).flatMap(shown))
  return JSON.parse(whole.replaceAll(session.record.directory, "/workspace")) as Entry[]
}

function shown(event: Event): Entry[] {
  const { type, data } = event
  if (type === "item.completed") return [item(data.item)]
  if (type === "plan.updated") return [entry("plan", {}, data.entries)]
  if (type === "permission.requested" || type === "question.requested") return [entry("asked", asked(data))]
  if (type === "permission.resolved" || type === "question.resolved") {
    const { status, by, message, answers } = data as Fields
    return [entry("answered", { status, by, message, answers })]
  }
  if (type === "error") return [entry("error", { code: data.code, message: data.message })]
  if (type !== "turn.ended") return []
  const { stop_reason, error, usage = {} } = data
  // None is the same as not told.
  const used = Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens !== 0))
  return [entry("ended", { stop_reason, error, used })]
}

function item({ kind, role, status, metadata, content }: Item): Entry {
  return entry("item", { kind, role, status, reason: metadata?.reason }, content.map(part))
}

function part(one: Item["content"][number]): Fields {
  if (one.type === "tool_call") return { ...one, arguments: JSON.parse(one.arguments) }
  // Whose note it is says the agent's name, which differs by intent.
  return one.type === "status" ? { ...one, label: one.label.replace(/^[^.]+\./, "") } : one
}

const asked = (request: Fields): Fields => {
  const { permission_id, question_id, item_id, call_id, turn_id, metadata, status, ...rest } = request
  return rest
}

/** Each part of each item in another way; `undefined` takes it out. */
export const eachPart = (entries: readonly Entry[], change: (part: Fields) => Fields | undefined): Entry[] =>
  entries.map((one) =>
    one.what === "item" ? { ...one, parts: one.parts.flatMap((part): Fields[] => list(change(part))) } : one,
  )

const list = (part: Fields | undefined): Fields[] => (part === undefined ? [] : [part])

/** What a permission or a question says, in another way. */
export const eachAsked = (entries: readonly Entry[], change: (asked: Entry) => Fields): Entry[] =>
  entries.map((one) => (one.what === "asked" ? ({ ...one, ...change(one) } as Entry) : one))

export const record = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

export const without = ({ ...fields }: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

const level = (entries: readonly Entry[], differences: readonly Difference[]): unknown =>
  // Ids of calls join a call and its result until here; they are those of one run.
  eachPart(
    differences.reduce((left, { level }) => level(left), entries),
    (part) => without(part, "call_id"),
  )

/** Both tell the same but for the differences. */
export function expectSame({ native, adapted }: Transcripts, differences: readonly Difference[]): void {
  expect(level(adapted, differences)).toEqual(level(native, differences))
}

/** Each difference is seen in at least one scene: without it the two are not the same. */
export function expectNeeded(transcripts: readonly Transcripts[], differences: readonly Difference[]): void {
  const idle = differences.filter((one) => {
    const others = differences.filter((other) => other !== one)
    return transcripts.every(({ native, adapted }) => Bun.deepEquals(level(native, others), level(adapted, others)))
  })
  expect(idle.map(({ what }) => what)).toEqual([])
}

/** The page has the same list under this heading: nothing left out, nothing more. */
export function expectDocumented(heading: string, differences: readonly Difference[]): void {
  const page = readFileSync(join(import.meta.dirname, "../../../../../docs/acp.mdx"), "utf8")
  const [, section = ""] = page.split(`## ${heading}\n`)
  const lines = section.split("\n## ")[0]?.match(/^- .*$(?:\n {2}.*$)*/gm) ?? []
  const said = lines.map((line) => line.slice(2).replaceAll("\n  ", " "))
  expect(said).toEqual(differences.map(({ what, why }) => `${what}: ${why}`))
}
