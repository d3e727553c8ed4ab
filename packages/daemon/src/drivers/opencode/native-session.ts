import { opencodeLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { MemoryGone, type Native, type NativeRef, type OutMessage, type Settings } from "../../core/driver.ts"
import type { Sink } from "../../core/driver-sink.ts"
import type { Confinement } from "../../files/confinement.ts"
import type { Lease } from "../shared/pool.ts"
import { catalogOf, checkChoice, modelRef } from "./directories.ts"
import { nativeId } from "./ids.ts"
import { COMPACT, commandIn, promptParts } from "./message.ts"
import type { PromptPart, Session } from "./native.ts"
import type { SessionParts } from "./receive.ts"
import { sessionRules } from "./rules.ts"
import type { Listener, Server } from "./server.ts"
import { withRules } from "./session.ts"

export interface OpenSession extends SessionParts {
  lease: Lease<Server>
  session: Session
  ref: NativeRef
  listener: Listener
  skills: string | undefined
  /** Its server has what the project brings. */
  free: boolean
  reach: Confinement
}

type Choice = Pick<Settings, "agentMode" | "model" | "variant" | "systemPrompt">

/** The open session as the core uses it. */
export function nativeOf(open: OpenSession, settings: Settings): Native {
  const { sink, turns, asks, directory, lease, ref } = open
  const { client } = lease.server
  const choice: Choice = { ...settings }
  const params = { sessionID: open.session.id }
  let rules = open.session
  let over = false
  let interrupts = 0
  const leave = () => {
    if (over) return
    over = true
    lease.server.detach(open.listener)
    lease.release()
  }
  const abort = (ms?: number) => client.call("POST /session/{sessionID}/abort", { params }, ms)

  /** `false`: it was not sent. */
  const post = async (message: OutMessage, steered: boolean): Promise<boolean> => {
    const id = nativeId("msg")
    const before = interrupts
    const parts = await promptParts(message, open.reach)
    // What came while the files were read: a run that began now would be heard by nobody, or stopped by nobody.
    if (over || interrupts !== before || (steered && !turns.running)) return false
    const command = commandIn(message.text, directory.commands)
    const compacts = command === undefined && message.text.trim() === COMPACT
    const send = () => (compacts ? compact(id) : command === undefined ? prompt(id, parts) : run(id, parts, command))
    const sent = { messageId: message.id, steered }
    if (!compacts && command === undefined && message.brief !== undefined) sink.briefed(message.id)
    // A command is expanded anew each time, so it cannot be sent again as the same message.
    if (compacts) turns.sent(id, { ...sent, unnamed: true })
    else turns.sent(id, { ...sent, ...(command === undefined && { again: send }) })
    await send().catch((error: unknown) => {
      // Somebody removed it while it was open.
      const gone = SandboxAgentError.is(error) && error.code === "not_found"
      if (turns.withdraw(id)) throw gone ? new MemoryGone(error.detail) : error
    })
    return true
  }

  const prompt = async (messageID: string, parts: PromptPart[]): Promise<void> => {
    const { agentMode: agent, model, variant, systemPrompt: system } = choice
    const body = {
      messageID,
      parts,
      agent: agentOf(open, agent),
      ...(model !== undefined && { model: modelRef(model) }),
      ...(variant !== undefined && { variant }),
      ...(system && { system }),
    }
    recordSent(sink, "prompt_async", body)
    await client.call("POST /session/{sessionID}/prompt_async", { params, body })
  }

  /** Answered only when all of it is done: the events tell how it goes. */
  const run = async (messageID: string, parts: PromptPart[], command: { command: string; arguments: string }) => {
    const { agentMode: agent, model, variant } = choice
    const body = {
      ...command,
      messageID,
      parts: parts.filter((part) => part.type === "file"),
      agent: agentOf(open, agent),
      ...(model !== undefined && { model }),
      ...(variant !== undefined && { variant }),
    }
    recordSent(sink, "command", body)
    follow(messageID, client.call("POST /session/{sessionID}/command", { params, body }, false))
  }

  const compact = async (id: string): Promise<void> => {
    const body = modelRef(choice.model ?? catalogOf(directory).defaultModel ?? "")
    sink.sent(JSON.stringify({ summarize: body }))
    follow(id, client.call("POST /session/{sessionID}/summarize", { params, body }, false))
  }

  const follow = (id: string, done: Promise<unknown>): void => {
    done.catch((error: unknown) => {
      if (!over && turns.withdraw(id)) turns.refused(SandboxAgentError.is(error) ? error.detail : String(error))
    })
  }

  return {
    ref,
    async send(message) {
      if (turns.brokenBy !== undefined && ref.durable)
        throw new MemoryGone(`OpenCode cannot go on with it: ${turns.brokenBy}`)
      if (await post(message, false)) return
      sink.returned(message.id)
      sink.turnEnded({ stop: "cancelled" })
    },
    steer: async (message) => turns.running && post(message, true),
    async interrupt() {
      interrupts += 1
      if (!turns.active) return
      // An abort before its run has begun would hit nothing.
      await turns.started()
      if (!turns.running) return
      turns.aborting()
      try {
        await abort()
      } catch (error) {
        turns.notAborted()
        throw error
      }
      // It has stopped; what it keeps of this turn's requests is its own affair.
      await asks.drop().catch(() => undefined)
      await turns.aborted(opencodeLimits.settleMs)
    },
    answer: (key, answer) => asks.answer(key, answer),
    async configure({ agentMode, model, variant, permissionMode }) {
      // A variant belongs to its model: another one starts with its own.
      const next = {
        variant: model === undefined ? (variant ?? choice.variant) : variant,
        model: model ?? choice.model,
      }
      checkChoice(directory, { agentMode, ...next })
      if (agentMode !== undefined) {
        rules = await withRules(client, rules, sessionRules(directory.agents, agentMode, open.skills))
        choice.agentMode = agentMode
      }
      Object.assign(choice, next)
      // Another server takes its place, that has nothing of what the project brings.
      if (open.free && permissionMode !== undefined && permissionMode !== "bypass") return "reopen"
      // With the next prompt; what a tool may do the core decides from now on.
      return turns.active && permissionMode === undefined ? "next_turn" : "now"
    },
    async close() {
      if (turns.active && !over) await abort(limits.closeMs).catch(() => undefined)
      leave()
    },
    async kill() {
      if (over) return
      const stuck = turns.active
      lease.server.detach(open.listener)
      const stopped = !stuck || (await abort(limits.closeMs).catch(() => false))
      // Nobody knows what it goes on doing: whoever comes next gets another server.
      if (!stopped) lease.drain()
      leave()
    },
  }
}

/** `build` is whatever OpenCode does by default, also where the user has no agent of that name. */
const agentOf = ({ directory: { agents } }: OpenSession, mode: string): string | undefined =>
  mode !== "build" || agents.some(({ name }) => name === mode) ? mode : undefined

/** Files are left out: they are in the store already. */
function recordSent(sink: Sink, what: string, body: { parts: readonly PromptPart[] }): void {
  const parts = body.parts.map((part) => (part.type === "file" ? { ...part, url: part.url.slice(0, 64) } : part))
  sink.sent(JSON.stringify({ [what]: { ...body, parts } }))
}
