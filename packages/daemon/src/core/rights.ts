import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Mcp, PermissionMode } from "@sandbox-agent/schema/session"
import type { AgentProcess, Client } from "./client.ts"
import type { Context } from "./context.ts"
import type { Session } from "./session.ts"

/** The more an agent may do unasked, the higher. */
const permissiveness: Record<PermissionMode, number> = { plan: 0, default: 1, acceptEdits: 2, bypass: 3 }

/** Agents are asked about, and do not answer: neither what they asked themselves nor what another did. */
export async function assertMayAnswer(s: Session, id: string, client: Client): Promise<void> {
  const open = s.requests.get(id) ?? [...s.forwardedRequests].find(([sequence]) => id.endsWith(`_${sequence}`))?.[1]
  const refused = await refusalOf(client, `answer ${id}`)
  if (refused === undefined) return
  if (open !== undefined) {
    open.refused ??= new Set()
    logRefusal(s, open.refused, refused)
  }
  throw refused.error
}

/** What the session may do unasked, as far as that is not to end with its turn or its process. */
export function strictestOf({ record: { permissionMode, deferred } }: Session): PermissionMode {
  const next = deferred?.permissionMode ?? permissionMode
  return permissiveness[next] < permissiveness[permissionMode] ? next : permissionMode
}

/** A permission mode that allows more than the session has. */
export async function assertMayLoosen(s: Session, mode: PermissionMode | undefined, client: Client): Promise<void> {
  if (mode === undefined) return
  // What is being changed just then counts as it will be.
  while (s.changing !== undefined) await s.changing
  if (permissiveness[mode] <= permissiveness[strictestOf(s)]) return
  const refused = await refusalOf(client, `change the permission mode to ${mode}`)
  if (refused === undefined) return
  logRefusal(s, s.refusedModes, refused)
  throw refused.error
}

/** A new session that asks less than others do. */
export async function assertMayBegin(
  { log }: Context,
  mode: PermissionMode | undefined,
  client: Client,
): Promise<void> {
  if (mode === undefined || permissiveness[mode] <= permissiveness.default) return
  const refused = await refusalOf(client, `begin a session with the permission mode ${mode}`)
  if (refused === undefined) return
  log("warn", refused.error.detail, { ...refused.process })
  throw refused.error
}

/** MCP servers that are programs: an agent starts those of its session and asks nobody. */
export async function assertMayBring(context: Pick<Context, "log">, mcp: Mcp = {}, client: Client): Promise<void> {
  if (Object.values(mcp).some((server) => !("url" in server)))
    await assertMayStart(context, "bring MCP servers that are programs", client)
}

/** Programs of clients: an agent that is held back could have the daemon do what it may not. */
export async function assertMayStart({ log }: Pick<Context, "log">, what: string, client: Client): Promise<void> {
  const refused = await refusalOf(client, what, "Agents start programs by themselves, and are asked about it there.")
  if (refused === undefined) return
  log("warn", refused.error.detail, { ...refused.process })
  throw refused.error
}

interface Refusal {
  error: SandboxAgentError
  process: AgentProcess
}

async function refusalOf(
  client: Client,
  what: string,
  hint = "Agents do not decide what agents may do: answer from a client that no agent has started.",
): Promise<Refusal | undefined> {
  const process = await client.agentProcess()
  if (process === undefined) return undefined
  const { pid, program } = process
  const who =
    pid === undefined
      ? "a process of this machine that hides behind its connection"
      : `process ${pid} (${program ?? "unknown"}) of an agent`
  const error = new SandboxAgentError("permission_denied", `${who} tried to ${what}`, {
    hint,
    ...process,
  })
  return { error, process }
}

/** In the session's own log, for whoever reads it: once for each agent, however often it tries. */
function logRefusal(s: Session, reported: Set<string>, { error, process }: Refusal): void {
  const key = process.owner ?? ""
  if (reported.has(key)) return
  reported.add(key)
  const details = Object.fromEntries(Object.entries(process).filter(([, value]) => value !== undefined))
  s.append("error", { message: error.detail, code: error.code, details }, "daemon")
  s.context.log("warn", error.detail, { session: s.record.id, ...details })
}
