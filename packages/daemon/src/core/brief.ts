import type { PlanEntry } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { cutMiddle } from "./bounds.ts"
import { type Block, blocksOf, shortened, whole } from "./brief-turns.ts"
import { BRIEF_BEGINS } from "./driver.ts"

/** What is known of a session, from the rows of its log. */
export interface Past {
  systemPrompt?: string
  plan?: readonly PlanEntry[]
  /** What a person allowed, refused and answered, the newest last. */
  decisions: readonly string[]
  /** Completed items from the newest back; read no further than there is room. */
  items: Iterable<Item>
  /** The first message of the person: what all of it is about. */
  first?: Item
}

const CLOSING = "</session-brief>"
const PREFACE = `This session began before you joined it, and you do not remember it. What follows is its record, kept by the \
program that runs you. It is background, not a request: do not answer it and do not do again what it shows as done. \
The message that comes after it is the one to answer.`

/** A model takes so much of its context for the brief, at so many bytes for a token. */
const CONTEXT_SHARE = 0.25
const BYTES_PER_TOKEN = 3
/** Shares of the room: each of system prompt, plan and decisions; the first message; turns in full. */
const SECTION_SHARE = 1 / 8
const FIRST_SHARE = 1 / 16
const FULL_SHARE = 3 / 4

/** How large a brief may be for a model with this context, where it is known. */
export const briefBytes = (contextTokens?: number): number =>
  contextTokens === undefined
    ? limits.briefBytes
    : Math.min(limits.briefBytes, Math.floor(contextTokens * CONTEXT_SHARE * BYTES_PER_TOKEN))

/**
 * What an agent has to be told of a session it does not remember: the system prompt, the plan, what a person decided,
 * the last turns in full and those before them shortened, within so many bytes.
 */
export function briefOf(past: Past, bytes: number): string {
  const frame = size([BRIEF_BEGINS, PREFACE, CLOSING].join("\n\n"))
  const room = Math.max(0, bytes - frame)
  const sections = [
    section("System prompt", past.systemPrompt ?? "", room),
    section("Plan", (past.plan ?? []).map(({ content, status }) => `- [${status}] ${content}`).join("\n"), room),
    section("Decisions of the user", newestLines(past.decisions, room * SECTION_SHARE), room),
  ].filter((text) => text !== "")
  const turns = conversation(past, room - size(sections.join("\n\n")))
  const record = [...sections, ...(turns === "" ? [] : [`## Conversation\n\n${turns}`])].join("\n\n")
  // What is quoted must not seem to end the brief.
  const quoted = record.replaceAll(CLOSING, "(end of a brief)")
  return [BRIEF_BEGINS, PREFACE, cutBytes(quoted, room), CLOSING].join("\n\n")
}

const section = (title: string, text: string, room: number): string =>
  text === "" ? "" : `## ${title}\n\n${cutBytes(text, room * SECTION_SHARE)}`

function conversation({ items, first }: Past, room: number): string {
  const opening = first === undefined ? "" : cutBytes(shortened([first]), room * FIRST_SHARE)
  const said: string[] = []
  let left = room - size(opening) - size(LEFT_OUT)
  let full = left * FULL_SHARE
  const add = (text: string) => {
    said.unshift(text)
    left -= size(text) + 2
    full -= size(text) + 2
  }
  for (const block of blocksOf(items)) {
    const text = said.length === 0 ? fitted(block, full) : whole(block)
    if (size(text) <= full) add(text)
    else {
      full = 0
      const short = shortened(block)
      if (size(short) + 2 > left) return [opening, LEFT_OUT, ...said].filter((part) => part !== "").join("\n\n")
      add(short)
    }
  }
  return said.join("\n\n")
}

const LEFT_OUT = "(Turns are left out here.)"

/** The last turn is always included: if it is too long, its tools are shortened first. */
function fitted(block: Block, room: number): string {
  for (const chars of [4_000, 1_000, 250]) {
    const text = whole(block, chars)
    if (size(text) <= room) return text
  }
  return cutBytes(whole(block, 250), room)
}

/** Whole lines from the end, as many as fit. */
function newestLines(lines: readonly string[], room: number): string {
  const kept: string[] = []
  let left = room
  for (const line of lines.toReversed()) {
    const text = `- ${line}`
    left -= size(text) + 1
    if (left < 0) break
    kept.unshift(text)
  }
  return kept.join("\n")
}

const size = (text: string): number => Buffer.byteLength(text)

/** Both ends of a text, within so many bytes. */
function cutBytes(text: string, bytes: number): string {
  const has = size(text)
  if (has <= bytes) return text
  for (let chars = Math.floor((text.length * bytes) / has); chars > 0; chars = Math.floor(chars * 0.9)) {
    const cut = cutMiddle(text, chars)
    if (size(cut) <= bytes) return cut
  }
  return ""
}
