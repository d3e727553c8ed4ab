/**
 * How an event is written as JSON, and how a delta is found in that text again without parsing it: the order of the fields
 * is the same in every event, and quotes inside strings are escaped, so where these words stand they are what they say.
 */
import type { EventType } from "@sandbox-agent/schema/event"
import type { DeltaPart } from "@sandbox-agent/schema/item"

const SESSION = ',"session_id":'
const TYPE = '"type":"'
const TEXT = ',"delta":'
const PART = ',"part":{'
const BEFORE_TEXT = `${TEXT}"`
const BEHIND_TEXT = `"${PART}`

export interface EventFields {
  uid: number
  sequence: number
  time: string
  /** Of `sessionFields`. */
  session: string
  byAgent: boolean
  type: EventType
  /** JSON. */
  data: string
  replayed?: boolean
}

/** What kind of event a text is; undefined where it was not written here. */
export function typeIn(json: string): string | undefined {
  const from = json.indexOf(TYPE, json.indexOf(SESSION)) + TYPE.length
  return from < TYPE.length ? undefined : json.slice(from, json.indexOf('"', from))
}

/** The fields that all events of a session have in common. */
export const sessionFields = (id: string, nativeId: string | undefined): string =>
  `${SESSION}${JSON.stringify(id)}${nativeId === undefined ? "" : `,"native_session_id":${JSON.stringify(nativeId)}`}`

export function eventText({ uid, sequence, time, session, byAgent, type, data, replayed }: EventFields): string {
  const origin = byAgent ? '"source":"agent","synthetic":false' : '"source":"daemon","synthetic":true'
  return `{"event_id":"evt_${uid}_${sequence}","sequence":${sequence},"time":"${time}"${session},${origin},${TYPE}${type}","data":${data}${replayed ? ',"replayed":true' : ""}}`
}

/** The data of the deltas of one item, up to their text. */
export const deltaHead = (itemId: string, nativeItemId: string): string =>
  `{"item_id":${JSON.stringify(itemId)},"native_item_id":${JSON.stringify(nativeItemId)}${TEXT}`

/** The data of a delta: what its item has in common, its text, its part. */
export const deltaData = (head: string, text: string, { index, type }: DeltaPart, reset: boolean): string =>
  `${head}${JSON.stringify(text)}${PART}"index":${index},"type":"${type}"}${reset ? ',"reset":true}' : "}"}`

/** The sequence stands so often in a stored frame before what a session's events have in common: in its id, the event's id, the event. */
export const SEQUENCES_BEFORE_HEAD = 3

/** What a session's events have in common stands from `from` on, up to the words that say their type. */
export function headSpan(json: string): { from: number; type: number } | undefined {
  const from = json.indexOf(SESSION)
  const type = from < 0 ? -1 : json.indexOf(TYPE, from)
  return type < 0 ? undefined : { from, type: type + TYPE.length }
}

/** Behind the common head: how an event of a type goes on, up to its data. */
export const typeText = (type: EventType): string => `${type}","data":{`

/** Places in the text of a delta. */
export interface DeltaSpan {
  /** From here on it is the same in all deltas of a session, up to `data`. */
  head: number
  /** Where its data begins, behind the brace. */
  data: number
  /** Its text as JSON, without quotes. */
  text: { from: number; to: number }
}

const DELTA = typeText("item.delta")

/** Undefined where it is another event, or a delta that was not written here. */
export function deltaSpan(json: string): DeltaSpan | undefined {
  const head = json.indexOf(SESSION)
  const type = json.indexOf(TYPE, head) + TYPE.length
  if (head < 0 || !json.startsWith(DELTA, type)) return undefined
  const from = json.indexOf(BEFORE_TEXT, type) + BEFORE_TEXT.length
  const to = json.lastIndexOf(BEHIND_TEXT)
  return from < type || to < from ? undefined : { head, data: type + DELTA.length, text: { from, to } }
}
