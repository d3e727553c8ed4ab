import type { PatchSession } from "@sandbox-agent/schema/session"
import type { Session } from "../../../core/session.ts"
import { assertMode, patchSession } from "../../../core/settings.ts"
import { type Method, type Request, sessionIn } from "../method.ts"
import { configChange, metadataChange, modeChange, modelChange, sessionState } from "../projection/session.ts"
import { settingsOf } from "../sources.ts"

export const setModeMethod: Method = async (request) => {
  await change(request, sessionIn(request), modeChange(request.params))
  return { result: {} }
}

export const setModelMethod: Method = async (request) => {
  await change(request, sessionIn(request), modelChange(request.params))
  return { result: {} }
}

export const setConfigOptionMethod: Method = async (request) => {
  const s = sessionIn(request)
  const wanted = configChange(request.params, settingsOf(s))
  await change(request, s, wanted)
  // What was asked for: it may come into force with the next turn only.
  const settings = { ...settingsOf(s), ...wanted }
  const { configOptions } = sessionState(settings, await request.acp.catalogs.of(s.record.agent))
  return { result: { configOptions } }
}

export async function setMetadata(request: Request): Promise<void> {
  const s = sessionIn(request)
  await change(request, s, metadataChange(request.params, s.record.metadata))
}

async function change({ acp }: Request, s: Session, patch: PatchSession): Promise<void> {
  const { agentMode } = patch
  if (agentMode !== undefined && agentMode !== "build" && s.driver !== undefined)
    assertMode((await acp.catalogs.of(s.record.agent)).modes, s.record.agent, agentMode)
  await patchSession(s, patch)
}
