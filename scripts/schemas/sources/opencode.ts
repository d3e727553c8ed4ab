import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { nameOf, refTo } from "../closure.ts"
import type { Extracted, Method, Schema, SchemaObject } from "../document.ts"
import { normalize, normalizeAll } from "../normalize.ts"
import { SourceAbsent } from "../packages.ts"
import { agentProgram } from "./program.ts"

const READY_MS = 120_000
const ANSWER_MS = 60_000

export async function extractOpencode(version: string): Promise<Extracted> {
  const program = agentProgram("opencode", version)
  const folder = mkdtempSync(join(tmpdir(), "opencode-schemas-"))
  try {
    return fromOpenApi(version, await serveAndAsk(program, folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Asks a server that has nothing of the user's: no configuration, no keys, no network of its own. */
async function serveAndAsk(program: string, folder: string): Promise<OpenApi> {
  const password = crypto.randomUUID()
  const server = Bun.spawn([program, "serve", "--port", "0", "--pure"], {
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, TMPDIR: folder, OPENCODE_SERVER_PASSWORD: password },
      ...{ XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config") },
      ...{ XDG_STATE_HOME: join(folder, "state"), XDG_CACHE_HOME: join(folder, "cache") },
      ...{ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
      ...{ OPENCODE_DISABLE_DEFAULT_PLUGINS: "1", OPENCODE_DISABLE_SHARE: "1" },
      // Else it installs packages in the background; nobody listens there.
      npm_config_registry: "http://127.0.0.1:9/",
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  })
  const late = setTimeout(() => server.kill("SIGKILL"), READY_MS)
  try {
    const address = await listening(server.stdout)
    if (address === undefined) throw new SourceAbsent(`${program} did not start to listen`)
    const authorization = `Basic ${btoa(`opencode:${password}`)}`
    const answer = await fetch(`${address}/doc`, {
      headers: { authorization },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    if (!answer.ok) throw new SourceAbsent(`GET /doc answered ${answer.status}`)
    return (await answer.json()) as OpenApi
  } finally {
    clearTimeout(late)
    server.kill("SIGKILL")
    await server.exited
  }
}

async function listening(stdout: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = ""
  const decoder = new TextDecoder()
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true })
    const address = /listening on (http:\/\/\S+)/.exec(text)?.[1]
    if (address !== undefined) return address
  }
  return undefined
}

interface Operation {
  summary?: string
  parameters?: { name: string; required?: boolean; schema?: Schema }[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

function fromOpenApi(version: string, { paths, components }: OpenApi): Extracted {
  const definitions = byName(normalizeAll(components.schemas, rename))
  const requests: Record<string, Method> = {}
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations))
      requests[`${method.toUpperCase()} ${path}`] = request(operation)
  return {
    source: `opencode-ai@${version}`,
    extracted: "opencode serve, GET /doc",
    methods: { requests, events: events(definitions) },
    definitions,
  }
}

function rename(ref: string): string {
  return refTo(ref.replace("#/components/schemas/", ""))
}

function request({ summary, parameters = [], requestBody, responses = {} }: Operation): Method {
  const status = Object.keys(responses).find((code) => code.startsWith("2"))
  const body = contentSchema(requestBody)
  const result = status === undefined ? undefined : contentSchema(responses[status])
  const params: SchemaObject = {
    type: "object",
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema ?? true])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  }
  return {
    ...(summary === undefined ? {} : { description: summary }),
    ...(parameters.length === 0 ? {} : { params: normalize(params, rename) }),
    ...(body === undefined ? {} : { body: normalize(body, rename) }),
    ...(result === undefined ? {} : { result: normalize(result, rename) }),
  }
}

function contentSchema(carrier: { content?: Record<string, { schema?: Schema }> } | undefined): Schema | undefined {
  const [first] = Object.values(carrier?.content ?? {})
  return first?.schema
}

/** The stream of all directories spells every event out again: those that have a name are named. */
function byName(definitions: Record<string, Schema>): Record<string, Schema> {
  const names = new Map(Object.entries(definitions).map(([name, schema]) => [JSON.stringify(schema), name]))
  const { GlobalEvent, ...rest } = definitions
  if (typeof GlobalEvent !== "object") return definitions
  const { payload } = GlobalEvent.properties ?? {}
  const variants = typeof payload === "object" ? (payload.anyOf ?? []) : []
  const anyOf = variants.map((variant) => {
    const name = names.get(JSON.stringify(variant))
    return name === undefined ? variant : { $ref: refTo(name) }
  })
  return { ...rest, GlobalEvent: { ...GlobalEvent, properties: { ...GlobalEvent.properties, payload: { anyOf } } } }
}

/** The union `Event`, by the name each event carries. */
function events(definitions: Record<string, Schema>): Record<string, Method> {
  const union = definitions.Event as SchemaObject | undefined
  return Object.fromEntries(
    (union?.anyOf ?? []).map((variant) => {
      const { $ref } = variant as SchemaObject
      const { properties = {} } = definitions[nameOf($ref ?? "")] as SchemaObject
      return [String((properties.type as SchemaObject).const), { params: variant }]
    }),
  )
}
