import type { OpenRequest } from "../../core/session.ts"
import { type Envelope, request } from "./projection/envelope.ts"
import type { Traits } from "./projection/traits.ts"

/**
 * Whether a client is asked as the agent asked: it must take this way of asking. One that cannot fill in a form or open
 * an address gets our projection, which finds another way.
 */
export function canPassThrough(method: unknown, params: Readonly<Record<string, unknown>>, traits: Traits): boolean {
  if (method === "session/request_permission") return true
  if (method !== "elicitation/create") return false
  return params.mode === "url" ? traits.url : traits.form
}

/** A request of an ACP agent that is still open, as the agent asked it, under our ids. */
export function passthroughRequest(
  { id, native }: OpenRequest,
  sessionId: string,
  traits: Traits,
): Envelope | undefined {
  const { passthrough } = native
  if (passthrough === undefined || !canPassThrough(passthrough.method, passthrough.params, traits)) return undefined
  return request(id, passthrough.method, { ...passthrough.params, sessionId })
}
