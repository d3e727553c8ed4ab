import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import { type AgentError, SandboxAgentError } from "@sandbox-agent/schema/error"
import { callJson } from "./client.ts"
import { flagsOf } from "./commands.ts"
import { defaultAgentOf } from "./config.ts"
import type { Connection } from "./connection.ts"
import { startEmbedded } from "./embedded.ts"
import { installFirst } from "./install-first.ts"
import { choiceOf, isSet, lastOf, type Parsed, parseFlags } from "./parse.ts"
import { note } from "./print.ts"
import { report } from "./problem.ts"
import { streamTurn } from "./run-turn.ts"
import { readStdin } from "./stdin.ts"
import { withHelp, withSuggestion } from "./suggestion.ts"
import { UsageError } from "./usage.ts"

/** One prompt on one agent, on a daemon that lives as long as the command. */
export async function runCommand(argv: string[]): Promise<number> {
  const parsed = parseFlags(argv, flagsOf("run"), ["run"])
  const { agent, prompt: given } = wordsOf(parsed)
  const json = isSet(parsed, "json")
  try {
    const message = given === "-" ? await readStdin() : given
    if (message.trim() === "") throw new UsageError("the prompt is empty", ["run"])
    return await onEmbedded(parsed, agent, message, json)
  } catch (error) {
    return await report(error, json)
  }
}

/** The agent may be left out where one is the default. */
function wordsOf({ positionals }: Parsed): { agent: string | undefined; prompt: string } {
  const [first, second, extra] = positionals
  if (extra !== undefined) throw new UsageError("<prompt> is one argument: put it in quotes", ["run"])
  if (first === undefined) throw new UsageError("missing <agent> and <prompt>", ["run"])
  if (second !== undefined) return { agent: first, prompt: second }
  if (defaultAgentOf(process.env) !== undefined) return { agent: undefined, prompt: first }
  const what = first.includes(" ") ? "<agent>, and no default is set (SANDBOX_AGENT_DEFAULT_AGENT)" : "<prompt>"
  throw new UsageError(`missing ${what}`, ["run"])
}

async function onEmbedded(parsed: Parsed, agent: string | undefined, message: string, json: boolean): Promise<number> {
  const interrupts = new Interrupts()
  const daemon = await startEmbedded(lastOf(parsed, "data-dir"))
  interrupts.exit = () => {
    daemon.kill()
    process.exit(130)
  }
  try {
    if (agent !== undefined && !json) await installFirst(daemon.connection, agent)
    const session = await createSession(daemon.connection, parsed, agent)
    const permissionMode = lastOf(parsed, "permission-mode")
    interrupts.cancel = () => {
      void note("cancelling the turn; Ctrl-C again exits")
      callJson(daemon.connection, {
        method: "POST",
        path: `/v1/sessions/${session}/cancel`,
        body: { queue: true },
      }).catch(() => {})
    }
    return await streamTurn(daemon.connection, {
      session,
      message,
      json,
      permissionMode,
      onInterrupt: () => interrupts.next(),
    })
  } catch (error) {
    throw withHelp(await withSuggestion(error, daemon.connection), ["run"])
  } finally {
    await daemon.stop()
    interrupts.close()
  }
}

async function createSession(connection: Connection, parsed: Parsed, agent: string | undefined): Promise<string> {
  const id = `run-${randomUUID()}`
  const body = {
    agent,
    directory: resolve(lastOf(parsed, "cwd") ?? "."),
    model: lastOf(parsed, "model"),
    variant: lastOf(parsed, "variant"),
    agentMode: lastOf(parsed, "mode"),
    permissionMode: choiceOf(parsed, "permission-mode", ["run"]),
  }
  const answer = await callJson<{ healthy: boolean; error?: AgentError }>(connection, {
    method: "POST",
    path: `/v1/sessions/${id}`,
    body,
  })
  if (answer.healthy) return id
  const { code = "unavailable", message = "the agent is not ready", ...context } = answer.error ?? {}
  throw new SandboxAgentError(code, message, context)
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
