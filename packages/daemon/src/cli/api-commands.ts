import { routes } from "@sandbox-agent/schema/contract/contract"
import type { Route } from "@sandbox-agent/schema/contract/route"
import { type Argument, type Command, connectionFlags } from "./command.ts"
import { type Flag, kebabCase } from "./flag.ts"
import { jsonSchemaOf } from "./given-schema.ts"
import { enumOf, type JsonSchema, schemaFlag } from "./schema-flag.ts"

export const bodyFlag: Flag = {
  name: "body",
  type: "json",
  placeholder: "JSON",
  help: "the whole body as JSON, @FILE or - for stdin; other flags go on top of it",
}
export const outputFlag: Flag = {
  name: "output",
  short: "o",
  type: "string",
  placeholder: "FILE",
  path: true,
  help: "write to a file",
}
export const inputFlag: Flag = {
  name: "input",
  short: "i",
  type: "string",
  placeholder: "FILE",
  path: true,
  help: "what to send (default: stdin)",
}
export const noFollowFlag: Flag = {
  name: "no-follow",
  type: "boolean",
  help: "do not connect again when the connection drops",
}

export const pathParameters = (route: Route): string[] =>
  [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "")

/** Body fields of a route by name, with what is required. */
export function bodyFields(route: Route): {
  fields: Readonly<Record<string, JsonSchema>>
  required: readonly string[]
} {
  const schema = route.body ? jsonSchemaOf(route.body) : {}
  return { fields: schema.properties ?? {}, required: schema.required ?? [] }
}

/** Query names by flag name; two spellings of one name are one flag. */
export function queryFlags(route: Route): { field: string; flag: Flag }[] {
  const found = new Map<string, { field: string; flag: Flag }>()
  for (const [field, schema] of Object.entries(route.query ?? {})) {
    const flag = schemaFlag(field, jsonSchemaOf(schema))
    if (!found.has(flag.name)) found.set(flag.name, { field, flag })
  }
  return [...found.values()]
}

/** Query names that a route cannot do without. */
export const requiredQuery = (route: Route): string[] =>
  Object.entries(route.query ?? {}).flatMap(([field, schema]) => (schema.safeParse(undefined).success ? [] : [field]))

/** A folder may be relative here, and need not be given. */
const ofCaller = (flag: Flag): Flag =>
  flag.name === "directory"
    ? { ...flag, path: true, placeholder: "DIR", help: "folder it is about; may be relative (default: this one)" }
    : flag

export function routeFlags(route: Route): Flag[] {
  const body = Object.entries(bodyFields(route).fields).map(([field, schema]) => schemaFlag(field, schema))
  return [
    ...body.map(ofCaller),
    ...queryFlags(route).map((q) => ofCaller(q.flag)),
    ...(route.body ? [bodyFlag] : []),
    ...(route.bodyBytes ? [inputFlag] : []),
    ...(route.answer === "bytes" ? [outputFlag] : []),
    ...(canFollow(route) ? [noFollowFlag] : []),
    ...connectionFlags,
  ]
}

/** A stream that can be taken up again where it broke. */
export const canFollow = (route: Route): boolean => route.answer === "sse" && route.method === "GET" && !route.once

/** Labels per question, the one body field that is written as several arguments. */
export const isAnswers = (schema: JsonSchema): boolean => schema.items?.items?.type === "string"

/** A new session's id stands beside the id of the one it comes from. */
export const argumentName = (route: Route, field: string): string =>
  pathParameters(route).includes(field) ? `new-${kebabCase(field)}` : kebabCase(field)

export function routeArguments(route: Route): Argument[] {
  const params = pathParameters(route)
  const list: Argument[] = params.map((name) => {
    const schema = route.params?.[name]
    const isRequest = name === "permissionId" || name === "questionId"
    const help = isRequest ? "may be left out while only one is open" : schema && jsonSchemaOf(schema).description
    return { name: kebabCase(name), help, ...(isRequest && { optional: true }) }
  })
  const field = route.cliArgument
  if (!field) return list
  for (const operand of route.cliOperands ?? [])
    list.push({ name: kebabCase(operand), help: bodyFields(route).fields[operand]?.description })
  const asked = route.query?.[field]
  const schema = asked ? jsonSchemaOf(asked) : (bodyFields(route).fields[field] ?? {})
  const name = argumentName(route, field)
  const help = isAnswers(schema)
    ? 'one argument per question, labels separated by commas; or all as JSON: \'[["Red"],["Yes","No"]]\''
    : enumOf(schema) || schema.pattern
      ? schema.description
      : (schema.description ?? "text; - reads stdin")
  const optional = asked?.safeParse(undefined).success
  const further = route.cliArguments
  return [
    ...list,
    { name, help, values: enumOf(schema), many: isAnswers(schema), optional: optional ?? further !== undefined },
    ...(further === undefined ? [] : [{ name: kebabCase(further), many: true, optional: true }]),
  ]
}

/** One command per endpoint. Flags and arguments are worked out when they are asked for. */
export function commandOf(route: Route): Command {
  return {
    words: route.cli,
    aliases: route.cliAliases,
    summary: route.summary,
    description: [route.description, `${route.method} ${route.path}`].filter(Boolean).join("\n"),
    get arguments() {
      return routeArguments(route)
    },
    get flags() {
      return routeFlags(route)
    },
    load: async () => {
      const { callRoute } = await import("./api.ts")
      return (argv) => callRoute(route, argv)
    },
  }
}

export const apiCommands: readonly Command[] = routes.map(commandOf)
