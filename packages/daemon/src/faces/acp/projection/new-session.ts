import {
  type CreateSession,
  CreateSessionSchema,
  type ForkSession,
  ForkSessionSchema,
  type Mcp,
} from "@sandbox-agent/schema/session"
import { z } from "zod"
import { isRecord, NAMESPACE, oursIn } from "./envelope.ts"
import { checked, invalid } from "./invalid.ts"

const pairs = z.array(z.object({ name: z.string(), value: z.string() })).default([])
const ServerSchema = z.union([
  z.object({ type: z.enum(["http", "sse"]), name: z.string().min(1), url: z.string(), headers: pairs }),
  z.object({
    type: z.literal("stdio").optional(),
    name: z.string().min(1),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: pairs,
  }),
])
const ServersSchema = z.array(ServerSchema)
const ParamsSchema = z.object({
  cwd: z.string().startsWith("/", "an absolute path is expected"),
  mcpServers: ServersSchema.default([]),
})

export interface NewSession {
  /** The id the client wants for it. */
  id?: string
  create: CreateSession
}

/** Keys of our metadata that say what REST has a field for, and the field. */
const fields = {
  title: "title",
  model: "model",
  mode: "agentMode",
  variant: "variant",
  permissionMode: "permissionMode",
  skills: "skills",
  agentVersionRequested: "agentVersion",
} as const satisfies Record<string, keyof CreateSession>

/** `session/new` as what the core creates. The client's whole map is kept; keys that REST knows act as there. */
export function newSession(params: unknown, agent: string): NewSession {
  const { cwd, mcpServers } = checked(ParamsSchema, params, "")
  const metadata = oursIn(params)
  const given = Object.entries(fields).flatMap(([key, name]) =>
    metadata[key] === undefined || metadata[key] === null ? [] : [[name, metadata[key]] as const],
  )
  const mcp = mcpOf(mcpServers)
  const create = checked(
    CreateSessionSchema,
    { agent, directory: cwd, ...(mcp && { mcp }), metadata, ...Object.fromEntries(given) },
    `_meta["${NAMESPACE}"]`,
  )
  const { requestedSessionId: id } = metadata
  if (id !== undefined && typeof id !== "string") return invalid("requestedSessionId: a string is expected")
  return { ...(id !== undefined && { id }), create: { ...create, agent } }
}

/** `session/fork` as what the core forks: `agent`, `atSequence` and the keys that `session/new` knows. */
export function forkOf(id: string, metadata: Readonly<Record<string, unknown>>): ForkSession {
  const names = { ...fields, agent: "agent", atSequence: "atSequence" } as const
  const given = Object.entries(names).flatMap(([key, name]) =>
    metadata[key] === undefined || metadata[key] === null ? [] : [[name, metadata[key]] as const],
  )
  return checked(ForkSessionSchema, { id, ...Object.fromEntries(given) }, `_meta["${NAMESPACE}"]`)
}

/** Our map of MCP servers. Two of one name cannot both be meant. */
export function mcpOf(servers: readonly z.infer<typeof ServerSchema>[]): Mcp | undefined {
  const mcp: Mcp = {}
  for (const server of servers) {
    if (Object.hasOwn(mcp, server.name)) return invalid(`mcpServers: two are named ${JSON.stringify(server.name)}`)
    if ("url" in server) mcp[server.name] = { type: server.type, url: server.url, headers: mapOf(server.headers) }
    else mcp[server.name] = { command: server.command, args: server.args, env: mapOf(server.env) }
  }
  return servers.length === 0 ? undefined : mcp
}

/** The servers that a client names for a session that is there already; undefined when it names none. */
export function mcpIn(params: unknown): Mcp | undefined {
  const given = isRecord(params) ? params.mcpServers : undefined
  return given === undefined || given === null ? undefined : mcpOf(checked(ServersSchema, given, "mcpServers"))
}

const mapOf = (entries: readonly { name: string; value: string }[]): Record<string, string> =>
  Object.fromEntries(entries.map(({ name, value }) => [name, value]))
