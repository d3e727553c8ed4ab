import type { Native, OutMessage, Settings } from "../../core/driver.ts"
import { record } from "../shared/json.ts"
import { userMessage } from "./message.ts"
import type { ConnectionParts } from "./parts.ts"
import type { Started } from "./process.ts"
import { checkModel, checkSettings } from "./settings.ts"

interface Begun {
  settings: Settings
  /** What the repository brings is in force, as only `bypass` may have it. */
  free: boolean
  env: Readonly<Record<string, string>>
}

/** The open conversation as the core uses it. */
export function nativeOf(process: Started, parts: ConnectionParts, { settings, free, env }: Begun): Native {
  const { sink, turns, tasks, asks, modes, models, transcript, ref } = parts
  const { child, request, write } = process
  let planning = settings.agentMode === "plan"
  let interrupts = 0

  const send = async (message: OutMessage, steered: boolean): Promise<boolean> => {
    const before = interrupts
    const line = await userMessage(crypto.randomUUID(), message, planning, parts.reach)
    if (steered && !turns.busy) return false
    if (interrupts !== before) return false // it came while the files were read
    if (message.brief !== undefined) sink.briefed(message.id)
    await write({ ...line, uuid: turns.sent(message.id, steered) })
    return true
  }

  return {
    ref,
    async send(message) {
      if (await send(message, false)) return
      sink.returned(message.id)
      sink.turnEnded({ stop: "cancelled" })
    },
    steer: (message) => send(message, true),
    async interrupt() {
      interrupts += 1
      // One that is at rest would have it for what comes next.
      if (!turns.busy && turns.waiting.length === 0) return
      turns.interrupted = turns.busy
      // An older version lets what waits run next; it has to be taken back first.
      if (!turns.reportsMessageState)
        for (const uuid of turns.waiting) {
          const reply = await request({ subtype: "cancel_async_message", message_uuid: uuid })
          if (record(reply).cancelled === true) turns.giveBack(uuid)
        }
      await request({ subtype: "interrupt", cancel_queued: true })
      await turns.idle()
    },
    answer: (key, answer) => asks.answer(key, answer),
    async configure(patch) {
      checkSettings(patch)
      if (patch.model !== undefined || patch.variant !== undefined)
        checkModel({ model: patch.model ?? models.current, variant: patch.variant }, models.list, env)
      const { permissionMode } = patch
      if (free && permissionMode !== undefined && permissionMode !== "bypass") {
        // It asks from now on; what the repository brings goes with the process.
        await modes.choose(permissionMode)
        return "reopen"
      }
      if (patch.model !== undefined) {
        await request({ subtype: "set_model", model: patch.model })
        models.chose(patch.model)
      }
      // A variant belongs to its model: another one starts with its own.
      if (patch.variant !== undefined || patch.model !== undefined)
        await request({ subtype: "apply_flag_settings", settings: { effortLevel: patch.variant ?? null } })
      // Behind what it may refuse.
      if (permissionMode !== undefined) await modes.choose(permissionMode)
      if (patch.agentMode !== undefined) planning = patch.agentMode === "plan"
      return "now"
    },
    async stopBackground() {
      await Promise.all(tasks.background.map((task_id) => request({ subtype: "stop_task", task_id })))
    },
    async close() {
      await child.stop()
      await transcript.look()
    },
    async kill() {
      await child.kill()
    },
  }
}
