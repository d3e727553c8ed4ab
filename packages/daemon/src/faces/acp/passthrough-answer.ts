import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import type { Session } from "../../core/session.ts"
import type { LogReader } from "../../store/reader.ts"
import type { Join } from "./projected.ts"
import { isRecord } from "./projection/envelope.ts"
import type { PromptAnswer } from "./projection/stop.ts"

/**
 * The answer to a prompt of an agent that speaks ACP: the agent's own, with what the core knows of the turn. How the
 * turn ended is the core's to say, and so is an error, which has a code and a hint of ours.
 */
export function passthroughAnswer(
  reader: LogReader,
  s: Session,
  { seq, raw }: Pick<Join, "seq" | "raw">,
  answer: PromptAnswer,
): PromptAnswer {
  if (s.driver?.protocol !== "acp" || "error" in answer) return answer
  const line = raw === 0 ? undefined : reader.line(s.log, raw, seq)
  reader.forgetRaw()
  const native = resultIn(line)
  if (native === undefined) return answer
  const _meta = { ...(isRecord(native._meta) && native._meta), ...answer.result._meta }
  return { result: { ...answer.result, ...native, stopReason: answer.result.stopReason, _meta } }
}

/** A turn may have ended with something else than an answer. */
function resultIn(line: string | undefined): Record<string, unknown> | undefined {
  try {
    const message: unknown = line === undefined ? undefined : parseOfAgent(line)
    return isRecord(message) && message.method === undefined && isRecord(message.result) ? message.result : undefined
  } catch {
    return undefined // cut, because it was too long to be kept
  }
}
