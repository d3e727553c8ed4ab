import { terminateSession } from "../../../core/ending.ts"
import { detach } from "../attach.ts"
import { agentIn, type Method, type Notice, sessionIdIn, sessionIn } from "../method.ts"
import { isRecord, oursIn } from "../projection/envelope.ts"
import { modelList } from "../projection/session.ts"
import { settingsOf } from "../sources.ts"
import { setMetadata } from "./settings.ts"

/** The client leaves the session; nobody else notices. */
export const detachNotice: Notice = async (request) => detach(request.connection, sessionIn(request))
export const detachMethod: Method = async (request) => {
  const s = sessionIn(request)
  return { result: {}, after: () => detach(request.connection, s) }
}

export const terminateNotice: Notice = (request) => terminateSession(sessionIn(request))
export const terminateMethod: Method = async (request) => {
  await terminateSession(sessionIn(request))
  return { result: {} }
}

export const setMetadataNotice: Notice = setMetadata
export const setMetadataMethod: Method = async (request) => {
  await setMetadata(request)
  return { result: {} }
}

/** Of a session, or of an agent before there is one. */
export const listModelsMethod: Method = async (request) => {
  const { acp, params } = request
  const s = sessionIdIn(params) === undefined ? undefined : sessionIn(request)
  const named = oursIn(params).agent ?? (isRecord(params) ? params.agent : undefined)
  const agent = s?.record.agent ?? agentIn(request, named)
  const settings = s === undefined ? { agentMode: "build", permissionMode: "default" as const } : settingsOf(s)
  return { result: modelList(settings, await acp.catalogs.of(agent)) }
}
