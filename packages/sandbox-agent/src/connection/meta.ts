import type { AcpHttpClient, ContentBlock, McpServer as Server } from "acp-http-client"
import { type Prompt, type PromptPart, partsOf } from "../prompt.ts"
import type {
  Choice,
  ConfigOption,
  ForkRequest,
  ListedSession,
  NewSessionRequest,
  OpenedSession,
  SessionSettings,
} from "../session-calls.ts"
import type { AgentError, McpServer } from "../types.ts"

type Fields = Record<string, unknown>
type Answer<Name extends "newSession" | "loadSession" | "resumeSession" | "forkSession"> = Awaited<
  ReturnType<AcpHttpClient[Name]>
>

export const namespace = "sandboxagent.dev"

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What the daemon says beside the words of the protocol. */
export function oursIn(value: unknown): Fields {
  const meta = isObject(value) ? value._meta : undefined
  const ours = isObject(meta) ? meta[namespace] : undefined
  return isObject(ours) ? ours : {}
}

const withoutUndefined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export const ours = (fields: Fields): { _meta: Fields } => ({ _meta: { [namespace]: withoutUndefined(fields) } })

/** First-class fields under the names that the daemon acts on; whatever else is kept with the session. */
export function settingsIn(request: SessionSettings): Fields {
  const { title, model, agentMode: mode, variant, permissionMode, skills, agentVersion, metadata } = request
  return { ...metadata, title, model, mode, variant, permissionMode, skills, agentVersionRequested: agentVersion }
}

export const newSessionParams = (request: NewSessionRequest, agent: string | undefined) => ({
  cwd: request.directory,
  mcpServers: serversOf(request.mcp ?? {}),
  ...ours({ ...settingsIn(request), agent: request.agent ?? agent, requestedSessionId: request.id }),
})

export const forkParams = (sessionId: string, request: ForkRequest) => ({
  sessionId,
  ...(request.directory !== undefined && { cwd: request.directory }),
  ...(request.mcp !== undefined && { mcpServers: serversOf(request.mcp) }),
  ...ours({
    ...settingsIn(request),
    agent: request.agent,
    atSequence: request.atSequence,
    requestedSessionId: request.id,
  }),
})

export function serversOf(mcp: Readonly<Record<string, McpServer>>): Server[] {
  const pairs = (map: Readonly<Record<string, string>> = {}) =>
    Object.entries(map).map(([name, value]) => ({ name, value }))
  return Object.entries(mcp).map(([name, server]) =>
    "url" in server
      ? { name, type: server.type, url: server.url, headers: pairs(server.headers) }
      : { name, command: server.command, args: server.args ?? [], env: pairs(server.env) },
  ) as Server[]
}

export function openedSession(
  id: string,
  answer: Answer<"newSession" | "loadSession" | "resumeSession" | "forkSession">,
): OpenedSession {
  const said = oursIn(answer)
  const { modes, configOptions } = answer ?? {}
  const models = isObject(answer) ? (answer as { models?: unknown }).models : undefined
  return withoutUndefined({
    id,
    agent: said.agent,
    healthy: said.healthy !== false,
    error: said.error as AgentError | undefined,
    agentMode: modes?.currentModeId,
    agentModes: (modes?.availableModes ?? []).map((mode) => choice(mode.id, mode)),
    model: isObject(models) ? models.currentModelId : undefined,
    models: modelsIn(models),
    options: (configOptions ?? []).map(configOption),
    forkedAtSequence: said.forkedAtSequence,
  }) as unknown as OpenedSession
}

const modelsIn = (models: unknown): Choice[] =>
  isObject(models) && Array.isArray(models.availableModels)
    ? models.availableModels.filter(isObject).map((model) => choice(String(model.modelId), model))
    : []

const choice = (id: string, { name, description }: { name?: unknown; description?: unknown }): Choice => ({
  id,
  name: typeof name === "string" ? name : id,
  ...(typeof description === "string" && { description }),
})

/** Choices may come in groups; a client that wants to set one needs the values. */
export function configOption(option: object): ConfigOption {
  const { id, name, description, category, currentValue, options } = option as Fields
  const flat = (Array.isArray(options) ? options.filter(isObject) : []).flatMap((one) =>
    Array.isArray(one.options) ? one.options.filter(isObject) : [one],
  )
  return withoutUndefined({
    id,
    name,
    description: description ?? undefined,
    category: category ?? undefined,
    value: currentValue,
    choices: flat.map((one) => choice(String(one.value), one)),
  }) as unknown as ConfigOption
}

const known = [
  "agent",
  "title",
  "model",
  "mode",
  "variant",
  "permissionMode",
  "createdAt",
  "updatedAt",
  "ended",
  "eventCount",
]

/** An entry of a list: what the daemon knows as fields, the rest as the metadata of its clients. */
export function listedSession(entry: { sessionId: string; cwd: string }): ListedSession {
  const said = oursIn(entry)
  const {
    title,
    model,
    variant,
    mode: agentMode,
    permissionMode,
    agent,
    createdAt,
    updatedAt,
    ended,
    eventCount,
  } = said
  const metadata = Object.fromEntries(Object.entries(said).filter(([name]) => !known.includes(name)))
  const facts = { agent, title, model, variant, agentMode, permissionMode, createdAt, updatedAt, ended, eventCount }
  return withoutUndefined({ id: entry.sessionId, directory: entry.cwd, ...facts, metadata }) as unknown as ListedSession
}

export const blocksOf = (prompt: Prompt): ContentBlock[] => partsOf(prompt).map(blockOf)

function blockOf(part: PromptPart): ContentBlock {
  if (part.type === "text") return { type: "text", text: part.text }
  if (part.type === "image") return { type: "image", data: part.data, mimeType: part.mimeType }
  const mimeType = part.mimeType === undefined ? {} : { mimeType: part.mimeType }
  if (part.data !== undefined)
    return { type: "resource", resource: { uri: fileUri(`/${part.filename ?? "file"}`), blob: part.data, ...mimeType } }
  const uri = part.url ?? fileUri(part.path ?? "")
  return { type: "resource_link", uri, name: part.filename ?? uri.split("/").at(-1) ?? uri, ...mimeType }
}

const fileUri = (path: string): string => `file://${path.split("/").map(encodeURIComponent).join("/")}`
