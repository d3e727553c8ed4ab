import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Item } from "@sandbox-agent/schema/item"
import type { Session } from "@sandbox-agent/schema/session"
import { callJson } from "../client.ts"
import { flagsOf } from "../commands.ts"
import { defaultAgentOf } from "../config.ts"
import type { Connection } from "../connection.ts"
import { dataDirOf } from "../daemon.ts"
import { type DaemonInUse, openDaemon } from "../daemon-in-use.ts"
import { forSessionOf, installFirst } from "../install-first.ts"
import { type Parsed, parseFlags } from "../parse.ts"
import { note } from "../print.ts"
import { agentError, type Created, sessionBody } from "../session-flags.ts"
import { withHelp, withSuggestion } from "../suggestion.ts"
import { UsageError } from "../usage.ts"
import { Conversation } from "./conversation.ts"
import { readHistory, writeHistory } from "./history.ts"
import { pathOf } from "./slash.ts"

/** Items of the past that are shown of a session that is taken up again. */
const shownPast = 40

/** A new conversation with an agent. */
export async function chatCommand(argv: string[]): Promise<number> {
  const words = ["chat"]
  const parsed = parseFlags(argv, flagsOf(...words), words)
  const [agent, first, extra] = parsed.positionals
  if (extra !== undefined) throw new UsageError("<prompt> is one argument: put it in quotes", words)
  if (agent === undefined && defaultAgentOf(process.env) === undefined)
    throw new UsageError("missing <agent>, and no default is set (SANDBOX_AGENT_DEFAULT_AGENT)", words)
  assertTerminal(words)
  return await at(parsed, words, async (daemon) => {
    const { connection } = daemon
    const id = `chat-${randomUUID().slice(0, 8)}`
    const body = { agent, ...sessionBody(parsed, words), directory: resolve(".") }
    if (agent !== undefined) await installFirst(connection, agent, { forSession: forSessionOf(body) })
    const { session, healthy, error } = await callJson<Created>(connection, {
      method: "POST",
      path: `/v1/sessions/${id}`,
      body,
    })
    if (!healthy) {
      // Nothing was said in it, and nobody would look for it.
      await callJson(connection, { method: "DELETE", path: pathOf({ id }) })
      throw agentError(error)
    }
    return await talk(parsed, daemon, session, { offset: session.lastSequence, first })
  })
}

/** A conversation that there is already. */
export async function attachCommand(argv: string[]): Promise<number> {
  const words = ["attach"]
  const parsed = parseFlags(argv, flagsOf(...words), words)
  const [id, extra] = parsed.positionals
  if (id === undefined) throw new UsageError("missing <session>; `sandbox-agent sessions list` names them", words)
  if (extra !== undefined) throw new UsageError(`unexpected argument \`${extra}\``, words)
  assertTerminal(words)
  return await at(parsed, words, async (daemon) => {
    const { connection } = daemon
    const session = await callJson<Session>(connection, { method: "GET", path: pathOf({ id }) })
    if (session.status === "ended")
      throw new SandboxAgentError("conflict", `session ${id} has ended`, { sessionId: id })
    const { items, sequence } = await callJson<{ items: Item[]; sequence: number }>(connection, {
      method: "GET",
      path: `${pathOf({ id })}/items`,
    })
    return await talk(parsed, daemon, session, { offset: sequence, past: items.slice(-shownPast) })
  })
}

function assertTerminal(words: readonly string[]): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return
  throw new UsageError("this needs a terminal; `run` and `sessions stream-message` work without one", words)
}

async function at(
  parsed: Parsed,
  words: readonly string[],
  work: (daemon: DaemonInUse) => Promise<number>,
): Promise<number> {
  const daemon = await openDaemon(parsed)
  try {
    return await work(daemon)
  } catch (error) {
    const { asTyped } = await import("../command-words.ts")
    throw withHelp(await withSuggestion(asTyped(error, flagsOf(...words)), daemon.connection), words)
  } finally {
    await daemon.close()
  }
}

async function talk(
  parsed: Parsed,
  { connection, kill }: DaemonInUse,
  session: Session,
  from: { offset: number; past?: readonly Item[]; first?: string | undefined },
): Promise<number> {
  const dataDir = dataDirOf(parsed)
  const history = readHistory(dataDir)
  const keep = (): void => writeHistory(dataDir, history)
  const { first, ...rest } = from
  const conversation = new Conversation({
    connection,
    session,
    history,
    ...rest,
    ...(first !== undefined && { first }),
    onEnd: () => {
      keep()
      kill()
    },
  })
  try {
    const code = await conversation.run()
    await farewell(connection, session)
    return code
  } finally {
    keep()
  }
}

/** How to come back. */
async function farewell(connection: Connection, { id }: Session): Promise<void> {
  const { status } = await callJson<Session>(connection, { method: "GET", path: pathOf({ id }) })
  const goesOn = status === "running" || status === "waiting" ? "it goes on; " : ""
  if (status !== "ended") await note(`${goesOn}\`sandbox-agent attach ${id}\` comes back to it`)
}
