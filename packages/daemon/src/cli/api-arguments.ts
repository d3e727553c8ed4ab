import type { Route } from "@sandbox-agent/schema/contract/route"
import {
  argumentName,
  bodyFields,
  isAnswers,
  pathParameters,
  queryFlags,
  requiredQuery,
  routeArguments,
  routeFlags,
} from "./api-commands.ts"
import { argumentText } from "./command.ts"
import { fieldValue, parseJson, wholeObject } from "./field-value.ts"
import { kebabCase } from "./flag.ts"
import { lastOf, type Parsed, parseFlags, withDashes } from "./parse.ts"
import { enumOf, type JsonSchema } from "./schema-flag.ts"
import { UsageError } from "./usage.ts"

/** What a command line asks of the daemon. */
export interface ApiRequest {
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown> | undefined
  readonly parsed: Parsed
}

/** How stdin is read, where `-` asks for it. */
export type ReadStdin = () => Promise<string>

export async function apiRequest(route: Route, argv: readonly string[], readStdin: ReadStdin): Promise<ApiRequest> {
  const parsed =
    route.cliArguments === undefined ? parseFlags(argv, routeFlags(route), route.cli) : ofProgram(argv, route)
  const params = pathParameters(route)
  if (parsed.positionals.length < params.length) {
    const given = new Set(parsed.given.map(({ flag }) => flag.name))
    const needed = routeArguments(route).filter(
      ({ optional, name }) => !optional && !given.has(name.replace(/^new-/, "")),
    )
    const missing = needed.slice(parsed.positionals.length).map(argumentText).join(" ")
    throw new UsageError(`missing ${missing || `<${kebabCase(params.at(-1) ?? "")}>`}`, route.cli)
  }
  let path = route.path
  params.forEach((name, i) => {
    path = path.replace(`{${name}}`, segment(parsed.positionals[i] ?? "", name, route))
  })
  const rest = parsed.positionals.slice(params.length)
  if (rest.length > 0 && !route.cliArgument) throw new UsageError(`unexpected argument \`${rest[0]}\``, route.cli)
  return { path, query: queryOf(route, parsed, rest), body: await bodyOf(route, parsed, rest, readStdin), parsed }
}

function ofProgram(argv: readonly string[], route: Route): Parsed {
  try {
    return parseFlags(argv, routeFlags(route), route.cli)
  } catch (error) {
    throw withDashes(error, argv, routeFlags(route), route.cli)
  }
}

/** `.` and `..` would be taken as steps of the path, even escaped. */
function segment(value: string, name: string, route: Route): string {
  if (value === "" || value === "." || value === "..")
    throw new UsageError(`<${kebabCase(name)}> cannot be ${JSON.stringify(value)}`, route.cli)
  return encodeURIComponent(value)
}

function queryOf(route: Route, parsed: Parsed, rest: readonly string[]): URLSearchParams {
  const query = new URLSearchParams()
  for (const { field, flag } of queryFlags(route)) {
    const value = lastOf(parsed, flag.name)
    if (value !== undefined) query.set(field, value)
  }
  const argument = route.cliArgument
  if (argument !== undefined && route.query?.[argument] !== undefined) {
    if (rest.length > 1) throw new UsageError(`unexpected argument \`${rest[1]}\``, route.cli)
    if (rest[0] !== undefined) query.set(argument, rest[0])
  }
  // The caller's own stands for one that is not given.
  const missing = requiredQuery(route).filter((field) => !query.has(field) && field !== "directory")
  if (missing.length > 0)
    throw new UsageError(`missing ${missing.map((field) => `<${kebabCase(field)}>`).join(" ")}`, route.cli)
  return query
}

async function bodyOf(
  route: Route,
  parsed: Parsed,
  rest: string[],
  readStdin: ReadStdin,
): Promise<Record<string, unknown> | undefined> {
  if (!route.body) return undefined
  const { fields, required } = bodyFields(route)
  const whole = lastOf(parsed, "body")
  const body = whole === undefined ? {} : wholeObject("--body", whole === "-" ? await readStdin() : whole, route)
  for (const [field, schema] of Object.entries(fields)) {
    const values = parsed.given.filter((g) => g.flag.name === kebabCase(field)).map((g) => g.value)
    if (values.length > 0) body[field] = fieldValue(`--${kebabCase(field)}`, schema, values, route)
  }
  const argument = route.query?.[route.cliArgument ?? ""] === undefined ? route.cliArgument : undefined
  const further = route.cliArguments
  // What is given by its flag leaves its place to the next one.
  const operands = (route.cliOperands ?? []).filter((field) => !(field in body)).slice(0, rest.length)
  operands.forEach((field, i) => {
    body[field] = fieldValue(`<${kebabCase(field)}>`, fields[field] ?? {}, [rest[i] ?? ""], route)
  })
  const left = rest.slice(operands.length)
  const words = further === undefined ? left : left.slice(0, 1)
  if (argument && words.length > 0)
    body[argument] = await argumentValue(fields[argument] ?? {}, argument, words, route, readStdin)
  if (further !== undefined && left.length > 1) body[further] = left.slice(1)
  const missing = required.filter((field) => !(field in body))
  const plain = (field: string): boolean => field === argument || route.cliOperands?.includes(field) === true
  if (missing.length > 0)
    throw new UsageError(
      `missing ${missing.map((f) => (plain(f) ? `<${argumentName(route, f)}>` : `--${kebabCase(f)}`)).join(", ")}`,
      route.cli,
    )
  return body
}

async function argumentValue(
  schema: JsonSchema,
  field: string,
  rest: string[],
  route: Route,
  readStdin: ReadStdin,
): Promise<unknown> {
  const name = `<${kebabCase(field)}>`
  const [first = ""] = rest
  if (isAnswers(schema)) {
    if (rest.length === 1 && first.trimStart().startsWith("[")) return parseJson(first, name, route)
    return rest.map((labels) =>
      labels
        .split(",")
        .map((label) => label.trim())
        .filter((label) => label !== ""),
    )
  }
  if (rest.length > 1) throw new UsageError(`${name} is one argument: put it in quotes`, route.cli)
  const free = !enumOf(schema) && !schema.pattern
  return first === "-" && free ? await readStdin() : fieldValue(name, schema, rest, route)
}
