import { chooseOption } from "../../../core/passthrough-options.ts"
import { assertMayLoosen } from "../../../core/rights.ts"
import { patchSession } from "../../../core/settings.ts"
import { type Method, type Request, sessionIn } from "../method.ts"
import {
  configChange,
  metadataChange,
  modeChange,
  modelChange,
  passthroughChange,
  permissionModeIn,
  sessionState,
} from "../projection/session.ts"
import { passthroughSettingsOf, settingsOf } from "../sources.ts"

export const setModeMethod: Method = async (request) => {
  await patchSession(sessionIn(request), modeChange(request.params))
  return { result: {} }
}

export const setModelMethod: Method = async (request) => {
  await patchSession(sessionIn(request), modelChange(request.params))
  return { result: {} }
}

export const setConfigOptionMethod: Method = async (request) => {
  const s = sessionIn(request)
  // Before anything is waited for: who has left by then could be anybody.
  await assertMayLoosen(s, permissionModeIn(request.params), request.client)
  const catalog = await request.acp.catalogs.of(s.record.agent)
  const passthrough = passthroughChange(request.params, passthroughSettingsOf(s, catalog))
  const wanted = passthrough === undefined ? configChange(request.params, settingsOf(s)) : {}
  if (passthrough === undefined) await patchSession(s, wanted)
  else await chooseOption(s, passthrough.option, passthrough.value)
  // What was asked for: it may come into force with the next turn only.
  const settings = { ...settingsOf(s), ...wanted }
  return { result: { configOptions: sessionState(settings, catalog, passthroughSettingsOf(s, catalog)).configOptions } }
}

export async function setMetadata(request: Request): Promise<void> {
  const s = sessionIn(request)
  const change = metadataChange(request.params, s.record.metadata)
  await assertMayLoosen(s, change.permissionMode, request.client)
  await patchSession(s, change)
}
