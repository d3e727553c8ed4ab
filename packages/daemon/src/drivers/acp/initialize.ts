import type { ClientCapabilities, InitializeRequest } from "@agentclientprotocol/sdk"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { at, type Json, list, record } from "../shared/json.ts"
import type { AcpAgent } from "./agent.ts"
import { ownWords, wordsOf } from "./failure.ts"
import { RpcError, rpcCodes } from "./peer.ts"
import type { AcpProcess, Attached } from "./process.ts"

/** What the agent says it can, as far as we use it. */
export interface Abilities {
  load: boolean
  resume: boolean
  fork: boolean
  close: boolean
  remove: boolean
  list: boolean
  image: boolean
  audio: boolean
  embeddedContext: boolean
  systemPrompt: boolean
  steering: boolean
  mcp: { http: boolean; sse: boolean }
  authMethods: readonly unknown[]
}

/** Everything a client can offer, but what this agent is better without. */
function clientCapabilities({ clientMeta, withhold = [] }: AcpAgent["traits"]): ClientCapabilities {
  const offers = (power: "fs" | "terminal" | "elicitation") => !withhold.includes(power)
  const capabilities = {
    fs: { readTextFile: offers("fs"), writeTextFile: offers("fs") },
    terminal: offers("terminal"),
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    ...(offers("elicitation") && { elicitation: { form: {}, url: {} } }),
    ...(clientMeta && { _meta: clientMeta }),
  }
  return capabilities as ClientCapabilities
}

const PROTOCOL_VERSION = 1

export async function initialize(process: AcpProcess, agent: AcpAgent, owner?: Attached): Promise<Abilities> {
  const request: InitializeRequest = {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: clientCapabilities(agent.traits),
    clientInfo: { name: "sandbox-agent", title: "Sandbox Agent", version: "1" },
  }
  const result = await process.request("initialize", request, owner).catch((error: unknown) => {
    throw error instanceof RpcError ? refused(error, agent) : error
  })
  return abilitiesOf(result)
}

/** Whatever speaks the protocol knows its first request; it may fail at it all the same. */
const unknown: readonly number[] = [rpcCodes.methodNotFound, rpcCodes.invalidRequest, rpcCodes.invalidParams]

function refused({ failure }: RpcError, { id: agent, name }: AcpAgent): SandboxAgentError {
  const words = `it answers \`initialize\` with "${wordsOf(failure)}"`
  if (!unknown.includes(failure.code))
    return new SandboxAgentError("unavailable", `${name} does not start: ${words}`, { agent, hint: ownWords })
  return new SandboxAgentError("unavailable", `${name} does not speak ACP: ${words}`, {
    agent,
    hint: "Check the command of the agent: many speak ACP only with a flag or a subcommand.",
  })
}

export function abilitiesOf(result: Json): Abilities {
  const { promptCapabilities, mcpCapabilities, sessionCapabilities, loadSession } = record(result.agentCapabilities)
  const [prompt, mcp, session] = [record(promptCapabilities), record(mcpCapabilities), record(sessionCapabilities)]
  // An empty object says yes.
  const has = (value: unknown): boolean => value !== undefined && value !== null && value !== false
  return {
    load: loadSession === true,
    resume: has(session.resume),
    fork: has(session.fork),
    close: has(session.close),
    remove: has(session.delete),
    list: has(session.list),
    image: prompt.image === true,
    audio: prompt.audio === true,
    embeddedContext: prompt.embeddedContext === true,
    systemPrompt: has(session.systemPrompt),
    steering: at(result, "_meta", "steering", "supported") === true,
    mcp: { http: mcp.http === true, sse: mcp.sse === true },
    authMethods: list(result.authMethods),
  }
}
