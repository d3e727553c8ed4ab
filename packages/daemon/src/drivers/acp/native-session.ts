import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import type { Native, OutMessage } from "../../core/driver.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import { text } from "../shared/json.ts"
import { refusalText } from "../shared/refusal.ts"
import { loginVariables } from "./agent.ts"
import { loginHint, typed } from "./failure.ts"
import { forgotten } from "./forgotten.ts"
import { NotPutBack } from "./initial.ts"
import { closeNative } from "./open.ts"
import { type Outcome, RpcError } from "./peer.ts"
import { type Prompt, promptOf } from "./prompt.ts"
import type { ProcessLease } from "./server.ts"
import type { AcpSession } from "./session.ts"

interface Begun {
  command: readonly string[]
  steers: boolean
  /** What the repository brings is in force, as only `bypass` may have it. */
  free: boolean
}

/** The open conversation as the core uses it. */
export function nativeOf(session: AcpSession, lease: ProcessLease, { command, steers, free }: Begun): Native {
  const { process, abilities } = lease
  const { turn, ref, sink, agent, asks } = session
  const login = loginHint(abilities.authMethods, command, loginVariables(agent))
  const sessionId = ref.id ?? ""
  let interrupts = 0
  session.messages.live(turn)
  const rethrow = (error: unknown): never => {
    throw typed(error, agent.id, agent.name, login)
  }

  const ended = (outcome: Outcome): void => {
    const gone = session.unproven && "failure" in outcome ? forgotten(promptError(outcome), agent.name) : undefined
    if (gone !== undefined && turn.waits) return // it took nothing: `send` tells why
    session.unproven = false
    asks.cancelAll()
    const tokens = "result" in outcome ? session.usage.turn(outcome.result) : undefined
    if (tokens !== undefined) sink.usage(tokens)
    // Refused, and it stopped of itself: the model goes on.
    if (asks.refused !== undefined && !turn.interrupted && isCancelled(outcome))
      return continueAfterRefusal(asks.refused)
    session.tools.endRefused()
    if (turn.interrupted) session.messages.drop()
    else {
      session.messages.endAll()
      session.tools.endCalls()
    }
    if (!ref.durable && (abilities.load || abilities.resume) && "result" in outcome) {
      ref.durable = true
      sink.session({ durable: true })
    }
    lease.proven()
    turn.end(outcome, login, session.messages.aside)
    session.tools.turnEnded()
    if (gone !== undefined) leave(gone.detail)
  }

  /** Found out too late for its message to go again: the next one opens another. */
  const leave = (message: string): void => {
    ref.durable = false
    sink.session({ durable: false })
    lose(message)
  }

  /** It does nothing more; when it is opened again it has what the session has by then. */
  const lose = (message: string): void => {
    session.lost()
    sink.gone({ code: 0, message })
    process.leave(session)
    lease.kill().catch(() => undefined) // the supervisor sees to what is left
  }

  const continueAfterRefusal = (message: string): void => {
    asks.refused = undefined
    session.messages.endAll()
    ask({ prompt: [{ type: "text", text: refusalText(message) }] }).written.catch(() => undefined)
  }

  const ask = (prompt: Prompt) => process.ask("session/prompt", { sessionId, ...prompt }, session, { onReply: ended })

  /** One that does not know the session says so at once; one that works on the prompt takes its time. */
  const isKnown = async (reply: Promise<unknown>): Promise<void> => {
    const answered = reply.then(
      () => undefined,
      (error: unknown) => {
        const gone = forgotten(error, agent.name)
        if (gone !== undefined && turn.waits) throw gone
      },
    )
    await Promise.race([answered, turn.heard, Bun.sleep(acpAgentLimits.unknownSessionMs)])
  }

  const unsent = (error: unknown): never => {
    turn.unsent()
    session.tools.turnEnded()
    throw error
  }

  const send = async (message: OutMessage): Promise<void> => {
    const before = interrupts
    // A command is known by standing at the beginning: it goes alone.
    const { brief, ...alone } = message
    const withBrief = brief !== undefined && !isCommand(message.text)
    turn.prepares()
    const prompt = await promptOf(withBrief ? message : alone, abilities, session.reach).catch(unsent)
    if (!session.guard.isReady) await session.guard.ready().catch(unsent)
    if (interrupts !== before) {
      session.messages.endAll()
      sink.returned(message.id)
      sink.turnEnded({ stop: "cancelled" })
      turn.unsent()
      return session.tools.turnEnded()
    }
    session.messages.endAll() // what came late, since the last turn
    asks.refused = undefined
    session.guard.turnBegins()
    turn.begin(message.id)
    if (withBrief) sink.briefed(message.id)
    try {
      const { written, reply } = ask(prompt)
      await written
      if (session.unproven) await isKnown(reply)
      turn.taken()
    } catch (error) {
      unsent(error)
    }
  }

  const steer = async (message: OutMessage): Promise<boolean> => {
    const before = interrupts
    const { prompt } = await promptOf(message, abilities, session.reach)
    if (!turn.running || interrupts !== before) return false
    const _meta = { steering: { idleBehavior: "promptRequired" } }
    let injected = false
    const onReply = (outcome: Outcome) => {
      injected = "result" in outcome && text(outcome.result.outcome) === "injected"
      if (injected) sink.taken(message.id)
    }
    await process.ask("_session/steering", { sessionId, prompt, _meta }, session, { onReply }).reply
    return injected
  }

  return {
    ref,
    send,
    ...(abilities.steering && steers ? { steer } : {}),
    async interrupt() {
      interrupts += 1
      if (!turn.running) return
      turn.interrupted = true
      // First: an agent that waits for an answer cannot hear that it is to stop.
      asks.cancelAll()
      await process.notify("session/cancel", { sessionId }, session)
      await turn.idle()
    },
    answer: (key, answer) => asks.answer(key, answer),
    passthrough: {
      meaning: (key, answer) => asks.meaning(key, answer),
      reply: (key, response) => asks.reply(key, response),
      settings: () => session.chooser.options.passthrough,
      async choose(option, value) {
        const { passthrough, permissionMode } = session.chooser
        await passthrough.choose(option, value, permissionMode, sessionId, session.change).catch(rethrow)
        ref.chosen = passthrough.chosen
        ref.initial = passthrough.initial
      },
    },
    async configure(patch) {
      const { chooser } = session
      const before = chooser.agentMode
      try {
        await chooser.apply(patch, sessionId, session.change)
      } catch (error) {
        if (!(error instanceof NotPutBack)) return rethrow(error)
        // As the next one will have it.
        const { permissionMode = chooser.permissionMode, agentMode } = patch
        if (agentMode === undefined && chooser.refusal(before, permissionMode) !== undefined)
          sink.session({ agentMode: "build" })
        ignoreGone(session.cancel())
        lose(`${agent.name} is ended: ${error.message}`)
        return "now"
      }
      session.guard.changed()
      ref.chosen = chooser.passthrough.chosen
      ref.initial = chooser.initial
      // One that only `bypass` allowed has ended with it.
      if (patch.agentMode === undefined && chooser.agentMode !== before) sink.session({ agentMode: chooser.agentMode })
      // It asks from now on; what the repository brings goes with the process.
      return free && chooser.permissionMode !== "bypass" ? "reopen" : "now"
    },
    async close() {
      const left = !lease.shared || (await leavePolitely(session, lease, sessionId))
      // What goes on after its session left ends with the process, as soon as the others can do without it.
      await Promise.all([session.terminals.endAll(), left ? lease.leave() : lease.kill()])
    },
    async kill() {
      process.leave(session)
      await Promise.all([session.terminals.endAll(), lease.kill()])
    },
  }
}

const promptError = ({ failure }: Extract<Outcome, { failure: unknown }>): RpcError =>
  new RpcError("session/prompt", failure)

const isCommand = (text: string): boolean => /^\/[\w:.-]+(?:\s|$)/.test(text)

const isCancelled = (outcome: Outcome): boolean => "result" in outcome && outcome.result.stopReason === "cancelled"

/** On a process that others use the session itself has to end. `false`: its turn does not. */
async function leavePolitely(session: AcpSession, lease: ProcessLease, sessionId: string): Promise<boolean> {
  const { process, abilities } = lease
  const { turn } = session
  const asked =
    turn.running && !abilities.close
      ? process.notify("session/cancel", { sessionId }, undefined)
      : closeNative(lease, sessionId)
  const over = Promise.all([asked, turn.idle()]).catch(() => undefined) // a process that is gone has nothing to close
  await Promise.race([over, Bun.sleep(acpAgentLimits.sessionCloseMs)])
  process.leave(session)
  return !turn.running
}
