import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Native, OutMessage } from "../../core/driver.ts"
import type { Confinement } from "../../files/confinement.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import { record, text } from "../shared/json.ts"
import { checkSettings } from "./capabilities.ts"
import { isCommand, type Prompt, promptOf } from "./message.ts"
import { availableModels, splitModel } from "./models.ts"
import { errorOf } from "./outcome.ts"
import type { ConnectionParts } from "./parts.ts"
import type { Started } from "./process.ts"

/** The open session as the core uses it. */
export function nativeOf(process: Started, parts: ConnectionParts, reach: Confinement): Native {
  const { sink, turns, requests, models, kept, ref } = parts
  const { child, command } = process
  let interrupts = 0
  /** A message is on its way. */
  let asking: Promise<unknown> | undefined

  /** Of an extension: it may need no model. Versions before 1.0 do not say what became of a message. */
  const isOfExtension = (message: string): boolean => {
    const name = /^\/(\S+)/.exec(message)?.[1]
    return parts.commands.some((one) => one.source === "extension" && one.name === name)
  }

  /** What became of a message that was not refused. */
  const dispositionOf = (result: unknown, line: Prompt): string => {
    const told = text(record(result).disposition)
    if (told !== undefined) return told
    return isOfExtension(line.message) ? "handled" : turns.running ? "queued" : "started"
  }

  const prompt = (message: OutMessage, line: Prompt, refused: () => void): Promise<unknown> =>
    // An extension may have begun something by itself: then it comes after that.
    command({ type: "prompt", ...line, streamingBehavior: "followUp" }, (outcome) => {
      if ("error" in outcome) return turns.refused(errorOf(saidIn(outcome.error))) ? refused() : undefined
      const disposition = dispositionOf(outcome.result, line)
      if (disposition === "handled") turns.handled(message.id)
      else if (disposition === "queued") turns.queued(message.id, line.message)
      else turns.taken(message.id)
    })

  /** A command of Pi's screen, which has no screen here: its protocol has another for it. */
  const compact = (id: string, customInstructions: string | undefined): void => {
    turns.taken(id)
    const asked = command({ type: "compact", ...(customInstructions && { customInstructions }) }, (outcome) => {
      if ("error" in outcome)
        turns.answered({ role: "assistant", stopReason: "error", errorMessage: saidIn(outcome.error) })
      turns.settled()
    })
    ignoreGone(asked)
  }

  return {
    ref,
    async send(message) {
      const [compacts, instructions] = compactPattern.exec(message.text) ?? []
      if (compacts !== undefined && !parts.commands.some(({ name }) => name === compactCommand.name))
        return compact(message.id, instructions)
      const before = interrupts
      const line = await promptOf(message, reach)
      if (interrupts !== before) {
        // It came while the files were read.
        sink.returned(message.id)
        return sink.turnEnded({ stop: "cancelled" })
      }
      if (message.brief !== undefined && !isCommand(message.text)) sink.briefed(message.id)
      let told = false
      asking = prompt(message, line, () => {
        told = true
      })
      await asking.catch((error: unknown) => {
        if (!told) throw error
      })
    },
    async steer(message) {
      const before = interrupts
      const line = await promptOf(message, reach)
      if (!turns.running || interrupts !== before) return false
      turns.queued(message.id, line.message)
      const given = command({ type: "steer", ...line })
      await given.catch((error: unknown) => {
        turns.unqueued(message.id)
        throw error
      })
      return true
    },
    async interrupt() {
      interrupts += 1
      // What is only being taken could not be aborted yet.
      await asking?.catch(() => undefined)
      while (turns.busy) {
        turns.interrupted = true
        const changed = turns.changed()
        // Else they would run next.
        await command({ type: "clear_queue" }, () => turns.cleared())
        await command({ type: "abort" })
        // Taken, and not begun: there was nothing to abort.
        if (turns.busy) await changed
      }
    },
    answer: (key, answer) => requests.answer(key, answer),
    async configure(patch) {
      checkSettings(patch)
      const { model, variant } = patch
      if (model !== undefined || variant !== undefined) models.check(patch, await availableModels(process))
      if (model !== undefined) {
        const { provider, modelId } = splitModel(model)
        models.chose(await command({ type: "set_model", provider, modelId }))
      }
      if (variant !== undefined) {
        models.choosesLevel(variant)
        await command({ type: "set_thinking_level", level: variant })
      }
      return "now"
    },
    async close() {
      await child.stop()
      await kept.look()
    },
    async kill() {
      await child.kill()
    },
  }
}

export const compactCommand = { name: "compact", description: "Summarize what was said, to make room in the context" }

const compactPattern = /^\/compact(?:\s+([\s\S]+))?$/

const saidIn = (error: Error): string =>
  (SandboxAgentError.is(error) ? text(error.context.said) : undefined) ?? error.message
