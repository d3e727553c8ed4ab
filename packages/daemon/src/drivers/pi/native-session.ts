import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Native, OutMessage } from "../../core/driver.ts"
import type { Confinement } from "../../files/confinement.ts"
import { record, text } from "../shared/json.ts"
import { checkSettings } from "./about.ts"
import { isCommand, type Prompt, promptOf } from "./message.ts"
import { availableModels, splitModel } from "./models.ts"
import { errorOf } from "./outcome.ts"
import type { ConnectionParts } from "./parts.ts"
import type { Started } from "./process.ts"

/** The open session as the core uses it. */
export function nativeOf(process: Started, parts: ConnectionParts, reach: Confinement): Native {
  const { sink, turns, requests, models, ref } = parts
  const { child, command } = process
  let interrupts = 0
  /** A message is on its way. */
  let asking: Promise<unknown> | undefined

  /** Of an extension: it may need no model. Versions before 1.0 do not say what became of a message. */
  const isOfExtension = (message: string): boolean => {
    const name = /^\/(\S+)/.exec(message)?.[1]
    return parts.commands.some((one) => one.source === "extension" && one.name === name)
  }

  const prompt = (message: OutMessage, line: Prompt): Promise<unknown> =>
    command({ type: "prompt", ...line }, (outcome) => {
      if ("error" in outcome) return turns.refused(errorOf(saidIn(outcome.error)))
      const disposition = text(record(outcome.result).disposition)
      const handled = disposition === undefined ? isOfExtension(line.message) : disposition === "handled"
      if (handled) turns.handled(message.id)
      else turns.taken(message.id)
    })

  return {
    ref,
    async send(message) {
      const before = interrupts
      const line = await promptOf(message, reach)
      if (interrupts !== before) {
        // It came while the files were read.
        sink.returned(message.id)
        return sink.turnEnded({ stop: "cancelled" })
      }
      if (message.brief !== undefined && !isCommand(message.text)) sink.briefed(message.id)
      asking = prompt(message, line)
      // What it refuses has been told by then.
      await asking.catch((error: unknown) => {
        if (!isRefusal(error)) throw error
      })
    },
    async steer(message) {
      const line = await promptOf(message, reach)
      if (!turns.running) return false
      turns.steered(message.id, line.message)
      const given = command({ type: "steer", ...line })
      await given.catch((error: unknown) => {
        turns.unsteered(message.id)
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
    },
    async kill() {
      await child.kill()
    },
  }
}

const isRefusal = (error: unknown): boolean => SandboxAgentError.is(error) && error.context.said !== undefined

const saidIn = (error: Error): string =>
  (SandboxAgentError.is(error) ? text(error.context.said) : undefined) ?? error.message
