import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { formatJson } from "./format-json.ts"

/** A schema as JSON Schema 2020-12 has it: the words of it we read, everything else is carried along. */
export type Schema = boolean | SchemaObject

export interface SchemaObject {
  $ref?: string
  description?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema
  items?: Schema
  prefixItems?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  [keyword: string]: unknown
}

/** What is exchanged under one name: the parts that the protocol has. */
export interface Method {
  description?: string
  params?: Schema
  body?: Schema
  result?: Schema
}

/** Kind of method (`clientRequests`, `events`), then its native name. */
export type Methods = Record<string, Record<string, Method>>

export interface Extracted {
  /** Where the definitions came from, the same on every platform. */
  source: string
  /** How they were taken from there. */
  extracted: string
  methods: Methods
  definitions: Record<string, Schema>
}

export interface Stamp {
  agent: string
  version: string
  source: string
  extracted: string
  /** Of methods and definitions: tells a file changed by hand. */
  digest: string
}

/** `schemas/<agent>.json`. Nothing in it changes unless the agent does. */
export interface SchemaDocument {
  $schema: string
  title: string
  "x-stamp": Stamp
  "x-methods": Methods
  $defs: Record<string, Schema>
}

export const repository = join(import.meta.dirname, "../..")
const dialect = "https://json-schema.org/draft/2020-12/schema"

export function recordedPath(agent: string): string {
  return join(repository, "schemas", `${agent}.json`)
}

export function readDocument(path: string): SchemaDocument {
  const document = JSON.parse(readFileSync(path, "utf8")) as SchemaDocument
  const { "x-stamp": stamp, "x-methods": methods, $defs } = document
  if (stamp === undefined || methods === undefined || $defs === undefined)
    throw new Error(`${path} is not a schema recorded by npm run schemas`)
  if (stamp.digest !== digestOf(methods, $defs))
    throw new Error(`${path} was changed by hand: its digest is not that of its content`)
  return document
}

export function makeDocument(agent: string, version: string, extracted: Extracted): SchemaDocument {
  const { source, extracted: how, methods, definitions } = extracted
  const $defs = sorted(definitions)
  const inOrder = Object.fromEntries(Object.entries(sorted(methods)).map(([kind, named]) => [kind, sorted(named)]))
  return {
    $schema: dialect,
    title: `${agent} ${version}`,
    "x-stamp": { agent, version, source, extracted: how, digest: digestOf(inOrder, $defs) },
    "x-methods": inOrder,
    $defs,
  }
}

export function documentText(document: SchemaDocument): string {
  return formatJson(document)
}

function digestOf(methods: Methods, definitions: Record<string, Schema>): string {
  const text = JSON.stringify([methods, definitions])
  return `sha256:${createHash("sha256").update(text).digest("hex")}`
}

/** The same on every machine, whatever its language. */
export function alphabetic(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

export function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([left], [right]) => alphabetic(left, right)))
}
