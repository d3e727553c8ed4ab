import type { DeltaPart } from "@sandbox-agent/schema/item"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import type { LineOutcome, Sink } from "../../core/driver-sink.ts"
import { deltaPart, itemEnd, nativeRequest, newItem } from "./convert.ts"
import type { Block, FromAgent, Ready, Reply } from "./protocol.ts"

export interface Control {
  ready(line: Ready): void
  reply(line: Reply): void
  durable(): void
}

/** Makes a reader of the agent's lines. It throws on what is not the protocol. */
export function createReceiver(sink: Sink, control: Control): (raw: string) => LineOutcome {
  const open = new Map<string, { block: Block; part: DeltaPart }>()
  const known = (id: string) => {
    const found = open.get(id)
    if (!found) throw new Error(`No open block ${id}`)
    return found
  }
  return (raw) => {
    const line = parseOfAgent(raw) as FromAgent
    switch (line.type) {
      case "delta":
        return sink.delta(line.id, known(line.id).part, line.text)
      case "block_start":
        open.set(line.id, { block: line.block, part: deltaPart(line.block) })
        return sink.open(newItem(line))
      case "block_end": {
        const { block } = known(line.id)
        open.delete(line.id)
        return sink.close(line.id, itemEnd(block, line))
      }
      case "turn_start":
        return sink.turnStarted({ origin: line.origin, native: line.turn })
      case "turn_end":
        return sink.turnEnded({ stop: line.stop, native: line.turn, ...(line.error && { error: line.error }) })
      case "taken":
        return sink.taken(line.message)
      case "returned":
        return sink.returned(line.message)
      case "ask":
        return sink.ask(nativeRequest(line))
      case "ask_cancelled":
        return sink.unask(line.id, "cancelled")
      case "plan":
        return sink.plan(line.entries)
      case "usage":
        return sink.usage(line.increment)
      case "session": {
        const { type: _, ...patch } = line
        if (patch.durable) control.durable()
        return sink.session(patch)
      }
      case "status":
        return sink.status(line.label, line.detail)
      case "error":
        return sink.error({ code: line.code, message: line.message })
      case "background":
        return sink.background(line.count)
      case "ended":
        return sink.ended()
      case "ready":
        sink.session({ nativeSessionId: line.session, durable: line.durable, commands: line.commands })
        return control.ready(line)
      case "reply":
        return control.reply(line)
      default:
        return "unknown"
    }
  }
}
