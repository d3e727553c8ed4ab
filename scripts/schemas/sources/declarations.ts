import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { nameOf, refTo } from "../closure.ts"
import type { Method, Schema, SchemaObject } from "../document.ts"
import { inside, normalizeAll } from "../normalize.ts"
import { installed, SourceAbsent } from "../packages.ts"

/**
 * The converter needs a TypeScript of its own and nobody else needs either: fetched when it is used, not a dependency
 * of the repository. It says Node 22; Bun runs it.
 */
const converter = { name: "ts-json-schema-generator", version: "2.9.0", typescript: "5.9.3" }
const CONVERT_MS = 10 * 60_000

export const convertedBy = `${converter.name}@${converter.version}`

export interface Declarations {
  /** Files of types, absolute. */
  files: readonly string[]
  /** The types wanted, exported or not. */
  types: readonly string[]
  /** Whether to keep what the files say about each thing; the words of packages that are not free stay theirs. */
  words: boolean
  /** Modules the files import that are not there; what comes from them is opaque. */
  opaque: string
}

export function fromDeclarations({ files, types, words: wordy, opaque }: Declarations): Record<string, Schema> {
  const { name, version, typescript } = converter
  const program = join("node_modules", name, "bin/ts-json-schema-generator.js")
  const tool = installed(`${name}-${version}`, [`${name}@${version}`, `typescript@${typescript}`], program)
  const folder = mkdtempSync(join(tmpdir(), "declarations-"))
  try {
    const foreign = join(folder, "opaque.d.ts")
    const settings = join(folder, "tsconfig.json")
    const out = join(folder, "out.json")
    writeFileSync(foreign, opaque)
    writeFileSync(settings, JSON.stringify({ compilerOptions, files: [foreign, ...files] }))
    const words = ["--tsconfig", settings, "--path", `{${[foreign, ...files].join(",")}}`, "--type", ...types]
    const flags = ["--expose", "all", "--additional-properties", "--no-type-check", "--no-ref-encode", "--out", out]
    const annotations = ["--jsDoc", wordy ? "basic" : "none"]
    const { status, stderr, error } = spawnSync(
      process.execPath,
      [join(tool, program), ...words, ...annotations, ...flags],
      {
        encoding: "utf8",
        timeout: CONVERT_MS,
      },
    )
    if (status !== 0) throw new SourceAbsent(`the types cannot be converted: ${error?.message ?? faults(stderr)}`)
    const { definitions } = JSON.parse(readFileSync(out, "utf8")) as { definitions: Record<string, Schema> }
    const names = plainNames(Object.keys(definitions))
    const plain = (name: string): string => names.get(name) ?? name
    const renamed = Object.entries(definitions).map(([name, schema]) => [plain(name), schema] as const)
    const rename = (ref: string): string => refTo(plain(ref.replace("#/definitions/", "")))
    return withoutMadeUpNames(normalizeAll(Object.fromEntries(renamed), rename))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Says in plainer words what the converter would get wrong; a file already rewritten stays. */
export function rewrite(file: string, edits: readonly (readonly [pattern: RegExp, plainer: string])[]): void {
  const text = readFileSync(file, "utf8")
  const plain = edits.reduce((before, [pattern, plainer]) => before.replace(pattern, plainer), text)
  if (plain !== text) writeFileSync(file, plain)
}

/** The converter prints its own code with its errors. */
function faults(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.includes("error TSJ"))
  return lines.length > 0 ? lines.join("; ") : stderr.trim()
}

const compilerOptions = {
  ...{ target: "ESNext", module: "Preserve", moduleResolution: "bundler", allowImportingTsExtensions: true },
  ...{ strict: true, skipLibCheck: true, types: [], noEmit: true },
}

/** Types of the language; what they make has no name of its own. */
const language = /^(Record|Partial|Required|Readonly|Pick|Omit|Exclude|Extract|NonNullable)$/

/** `Model<…>` is called `Model` where there is one of it. */
function plainNames(names: readonly string[]): Map<string, string> {
  const plain = names.flatMap((name) => {
    const base = /^(\w+)</.exec(name)?.[1]
    return base === undefined || language.test(base) ? [] : [[name, base] as const]
  })
  const free = (base: string): boolean =>
    !names.includes(base) && plain.filter(([, same]) => same === base).length === 1
  return new Map(plain.filter(([, base]) => free(base)))
}

/** `NonNullable<…660273882>`: names of the converter that hold places in a file. What they name goes where they stand. */
function withoutMadeUpNames(definitions: Record<string, Schema>): Record<string, Schema> {
  const madeUp = (name: string): boolean => !/^[\w.]+$/.test(name)
  const put = (schema: Schema, path: readonly string[]): Schema => {
    if (typeof schema === "boolean") return schema
    const { $ref, ...rest } = schema
    const name = $ref === undefined ? undefined : nameOf($ref)
    if (name !== undefined && madeUp(name)) {
      if (path.includes(name)) throw new Error(`${name} holds itself`)
      const definition = put(definitions[name] ?? true, [...path, name])
      return typeof definition === "boolean" ? definition : { ...definition, ...rest }
    }
    const copy = structuredClone(schema)
    for (const [place, inner] of inside(schema)) set(copy, place, put(inner, path))
    return copy
  }
  const kept = Object.entries(definitions).filter(([name]) => !madeUp(name))
  return Object.fromEntries(kept.map(([name, schema]) => [name, put(schema, [])]))
}

function set(schema: SchemaObject, [word = "", name]: readonly string[], value: Schema): void {
  if (name === undefined) schema[word] = value
  else (schema[word] as Record<string, Schema>)[name] = value
}

/** The variants of a union by what their discriminators say, such as `system/init`; alike ones together. */
export function variantsBy(
  union: Schema | undefined,
  discriminators: readonly string[],
  definitions: Record<string, Schema>,
): Record<string, Method> {
  const found = new Map<string, Schema[]>()
  for (const variant of flattened(union ?? true, definitions)) {
    const { properties = {} } = target(variant, definitions)
    const words = discriminators.map((name) => values(properties[name]))
    const names = words.reduce(
      (before, after) =>
        after.length === 0 ? before : before.flatMap((head) => after.map((tail) => (head ? `${head}/${tail}` : tail))),
      [""],
    )
    for (const name of names) found.set(name, [...(found.get(name) ?? []), variant])
  }
  const method = (schemas: Schema[]): Method => ({ params: schemas.length === 1 ? schemas[0] : { anyOf: schemas } })
  return Object.fromEntries([...found].map(([name, schemas]) => [name, method(schemas)]))
}

function flattened(schema: Schema, definitions: Record<string, Schema>): Schema[] {
  const { anyOf } = target(schema, definitions)
  return anyOf ? anyOf.flatMap((variant) => flattened(variant, definitions)) : [schema]
}

function target(schema: Schema, definitions: Record<string, Schema>): SchemaObject {
  if (typeof schema === "boolean") return {}
  return schema.$ref === undefined ? schema : target(definitions[nameOf(schema.$ref)] ?? true, definitions)
}

function values(schema: Schema | undefined): string[] {
  if (typeof schema !== "object") return []
  return (schema.const === undefined ? (schema.enum ?? []) : [schema.const]).map(String)
}
