import { randomUUID } from "node:crypto"
import { callJson } from "./client.ts"
import { flagsOf } from "./commands.ts"
import { defaultAgentOf } from "./config.ts"
import type { Connection } from "./connection.ts"
import { type DaemonInUse, openDaemon } from "./daemon-in-use.ts"
import { startEmbedded } from "./embedded.ts"
import { forSessionOf, installFirst } from "./install-first.ts"
import { directoryOf, goesOn, knownSession } from "./known-session.ts"
import { isSet, lastOf, type Parsed, parseFlags } from "./parse.ts"
import { note } from "./print.ts"
import { report } from "./problem.ts"
import { streamTurn } from "./run-turn.ts"
import { agentError, type Created, sessionBody } from "./session-flags.ts"
import { readStdin } from "./stdin.ts"
import { withHelp, withSuggestion } from "./suggestion.ts"
import { UsageError } from "./usage.ts"

const command = ["run"]

/** One prompt on one agent. */
export async function runCommand(argv: string[]): Promise<number> {
  const parsed = parseFlags(argv, flagsOf(...command), command)
  const { agent, prompt: given } = wordsOf(parsed)
  const json = isSet(parsed, "json")
  try {
    const message = given === "-" ? await readStdin() : given
    if (message.trim() === "") throw new UsageError("the prompt is empty", command)
    return await onDaemon(parsed, agent, message, json)
  } catch (error) {
    return await report(error, json)
  }
}

/** The agent may be left out where one is the default, or where the session has one. */
function wordsOf(parsed: Parsed): { agent: string | undefined; prompt: string } {
  const [first, second, extra] = parsed.positionals
  if (extra !== undefined) throw new UsageError("<prompt> is one argument: put it in quotes", command)
  if (first === undefined) throw new UsageError("missing <agent> and <prompt>", command)
  if (second !== undefined) return { agent: first, prompt: second }
  if (defaultAgentOf(process.env) !== undefined || goesOn(parsed)) return { agent: undefined, prompt: first }
  const what = first.includes(" ") ? "<agent>, and no default is set (SANDBOX_AGENT_DEFAULT_AGENT)" : "<prompt>"
  throw new UsageError(`missing ${what}`, command)
}

/** A session that is gone on with is one of the data directory; any other is gone with the command. */
async function daemonFor(parsed: Parsed): Promise<DaemonInUse> {
  if (goesOn(parsed)) return await openDaemon(parsed)
  const { connection, stop, kill } = await startEmbedded(lastOf(parsed, "data-dir"))
  return { connection, close: stop, kill }
}

async function onDaemon(parsed: Parsed, agent: string | undefined, message: string, json: boolean): Promise<number> {
  const interrupts = new Interrupts()
  const daemon = await daemonFor(parsed)
  const { connection } = daemon
  interrupts.exit = () => {
    daemon.kill()
    process.exit(130)
  }
  try {
    const known = await knownSession(connection, parsed, agent, command)
    const session = known ?? (await createSession(connection, parsed, agent, json))
    const permissionMode = lastOf(parsed, "permission-mode")
    interrupts.cancel = () => {
      void note("cancelling the turn; Ctrl-C again exits")
      const path = `/v1/sessions/${encodeURIComponent(session)}/cancel`
      callJson(connection, { method: "POST", path, body: { queue: true } }).catch((error: unknown) =>
        note(`the turn could not be cancelled: ${error instanceof Error ? error.message : String(error)}`),
      )
    }
    const onInterrupt = (): void => interrupts.next()
    return await streamTurn(connection, { session, message, json, permissionMode, onInterrupt })
  } catch (error) {
    const { asTyped } = await import("./command-words.ts")
    throw withHelp(await withSuggestion(json ? error : asTyped(error, flagsOf(...command)), connection), command)
  } finally {
    await daemon.close()
    interrupts.close()
  }
}

async function createSession(
  connection: Connection,
  parsed: Parsed,
  agent: string | undefined,
  json: boolean,
): Promise<string> {
  const id = lastOf(parsed, "session") ?? `run-${randomUUID()}`
  const body = { agent, ...sessionBody(parsed, command), directory: directoryOf(parsed) }
  if (agent !== undefined) await installFirst(connection, agent, { forSession: forSessionOf(body) }, json)
  const path = `/v1/sessions/${encodeURIComponent(id)}`
  const answer = await callJson<Created>(connection, { method: "POST", path, body })
  if (answer.healthy) return id
  throw agentError(answer.error)
}

/** The first Ctrl-C cancels the turn, the second exits; before there is a turn the first one exits. */
class Interrupts {
  cancel: (() => void) | undefined
  exit: () => void = () => process.exit(130)
  private readonly listener = (): void => this.next()
  private readonly ending = (): void => this.exit()

  constructor() {
    process.on("SIGINT", this.listener)
    process.on("SIGTERM", this.ending)
    process.on("SIGHUP", this.ending)
  }

  next(): void {
    const { cancel } = this
    this.cancel = undefined
    if (cancel) cancel()
    else this.exit()
  }

  close(): void {
    process.off("SIGINT", this.listener)
    process.off("SIGTERM", this.ending)
    process.off("SIGHUP", this.ending)
  }
}
