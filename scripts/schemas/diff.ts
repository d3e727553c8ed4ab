import { shortened } from "./brief.ts"
import { closure, refTo, schemasOf } from "./closure.ts"
import { compare, type Difference, type Writers } from "./compare.ts"
import { alphabetic, type Method, type Schema, type SchemaDocument } from "./document.ts"
import type { Roots } from "./roots.ts"

export interface Change extends Difference {
  /** The method or definition. */
  of: string
  /** The driver's types hold it. */
  used: boolean
}

/** What changed between two versions of an agent. `roots` tells what of it our driver uses. */
export function diff(before: SchemaDocument, after: SchemaDocument, roots?: Roots): Change[] {
  const used = usedBy(before, after, roots)
  return [...methodChanges(before, after, used), ...definitionChanges(before, after, used)]
}

interface Used {
  methods: Set<string>
  definitions: Set<string>
}

const parts = ["params", "body", "result"] as const

function methodChanges(before: SchemaDocument, after: SchemaDocument, used: Used): Change[] {
  const [olds, news] = [before, after].map(allMethods)
  const names = union(olds, news)
  return names.flatMap((of) => {
    const change = (difference: Difference): Change => ({ of, used: used.methods.has(of), ...difference })
    const [old, now] = [olds?.get(of), news?.get(of)]
    if (old === undefined || now === undefined) return [change(presence(old !== undefined))]
    return parts.flatMap((part) => {
      const writers = writersOf(of, part)
      return partChanges(old[part], now[part], writers).map(({ path, ...rest }) =>
        change({ path: ` ${part}${path}`, ...rest }),
      )
    })
  })
}

function partChanges(before: Schema | undefined, after: Schema | undefined, writers: Writers): Difference[] {
  if (before === undefined && after === undefined) return []
  if (before === undefined) return [{ path: "", what: "added", level: writers.us ? "changed" : "added" }]
  if (after === undefined) return [{ path: "", what: "removed", level: "breaking" }]
  return compare(before, after, writers)
}

function definitionChanges(before: SchemaDocument, after: SchemaDocument, used: Used): Change[] {
  const written = writers(before, after)
  const names = [...new Set([...Object.keys(before.$defs), ...Object.keys(after.$defs)])].sort(alphabetic)
  return names.flatMap((of) => {
    const [old, now] = [before.$defs[of], after.$defs[of]]
    const change = (difference: Difference): Change => ({ of, used: used.definitions.has(of), ...difference })
    if (old === undefined || now === undefined) return [change(presence(old !== undefined))]
    return compare(old, now, written(of)).map(change)
  })
}

function presence(was: boolean): Difference {
  return { path: "", what: was ? "removed" : "added", level: was ? "breaking" : "added" }
}

/** Kinds of methods that we call: what they take is ours, what they answer the agent's. All others go the other way. */
const called = new Set(["clientRequests", "clientNotifications", "requests", "commands", "controlRequests"])

function writersOf(method: string, part: (typeof parts)[number]): Writers {
  const [kind = ""] = method.split(" ")
  // A control request goes both ways.
  if (kind === "controlRequests") return { us: true, agent: true }
  const us = called.has(kind) === (part !== "result")
  return { us, agent: !us }
}

/** Who writes each definition: whoever writes a method that holds it; who cannot be told, both. */
function writers(...documents: SchemaDocument[]): (definition: string) => Writers {
  const [us, agent] = [true, false].map((ours) => {
    const reached = documents.map((document) => {
      const from = [...allMethods(document)].flatMap(([name, method]) =>
        parts.flatMap((part): Schema[] =>
          writersOf(name, part)[ours ? "us" : "agent"] ? schemasOf({ [part]: method[part] }) : [],
        ),
      )
      return closure(from, document.$defs)
    })
    return new Set(reached.flatMap((names) => [...names]))
  })
  return (definition) => {
    const found = { us: us?.has(definition) ?? false, agent: agent?.has(definition) ?? false }
    return found.us || found.agent ? found : { us: true, agent: true }
  }
}

function usedBy(before: SchemaDocument, after: SchemaDocument, roots: Roots | undefined): Used {
  const methods = new Set(
    Object.entries(roots?.methods ?? {}).flatMap(([kind, names]) => names.map((name) => `${kind} ${name}`)),
  )
  const definitions = [before, after].flatMap((document) => {
    const known = shortened(
      document.$defs,
      (roots?.brief ?? []).filter((name) => name in document.$defs),
    )
    const from = [...allMethods(document)].flatMap(([name, method]) => (methods.has(name) ? schemasOf(method) : []))
    const types = (roots?.types ?? []).filter((name) => name in document.$defs)
    return [...closure([...from, ...types.map((name) => ({ $ref: refTo(name) }))], known)]
  })
  return { methods, definitions: new Set(definitions) }
}

/** By kind and name in one: `clientRequests turn/start`. */
function allMethods(document: SchemaDocument): Map<string, Method> {
  const kinds = Object.entries(document["x-methods"])
  return new Map(
    kinds.flatMap(([kind, named]) => Object.entries(named).map(([name, method]) => [`${kind} ${name}`, method])),
  )
}

function union(...maps: (Map<string, unknown> | undefined)[]): string[] {
  return [...new Set(maps.flatMap((map) => [...(map?.keys() ?? [])]))].sort(alphabetic)
}
