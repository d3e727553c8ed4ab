import type { Method, Notice } from "../method.ts"
import { extensionRequests } from "../projection/capabilities.ts"
import { authenticateMethod, logoutMethod } from "./connection.ts"
import * as extensions from "./extensions.ts"
import { cancelNotice, cancelRequestNotice, promptMethod } from "./prompt.ts"
import {
  closeMethod,
  createMethod,
  deleteMethod,
  forkMethod,
  listMethod,
  loadMethod,
  resumeMethod,
} from "./sessions.ts"
import { setConfigOptionMethod, setModelMethod, setModeMethod } from "./settings.ts"

/** Requests; `initialize` makes the connection and is answered before there is one. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["authenticate", authenticateMethod],
  ["logout", logoutMethod],
  ["session/new", createMethod],
  ["session/load", loadMethod],
  ["session/resume", resumeMethod],
  ["session/fork", forkMethod],
  ["session/list", listMethod],
  ["session/close", closeMethod],
  ["session/delete", deleteMethod],
  ["session/prompt", promptMethod],
  ["session/set_mode", setModeMethod],
  ["session/set_model", setModelMethod],
  ["session/set_config_option", setConfigOptionMethod],
  [extensionRequests.sessionDetach, extensions.detachMethod],
  [extensionRequests.sessionTerminate, extensions.terminateMethod],
  [extensionRequests.sessionListModels, extensions.listModelsMethod],
  [extensionRequests.sessionSetMetadata, extensions.setMetadataMethod],
])

export const notices: ReadonlyMap<string, Notice> = new Map<string, Notice>([
  ["session/cancel", cancelNotice],
  ["$/cancel_request", cancelRequestNotice],
  [extensionRequests.sessionDetach, extensions.detachNotice],
  [extensionRequests.sessionTerminate, extensions.terminateNotice],
  [extensionRequests.sessionSetMetadata, extensions.setMetadataNotice],
])

/** Methods of which the official transport wants the session in the header. */
export const sessionMethods: ReadonlySet<string> = new Set([
  "session/cancel",
  "session/close",
  "session/delete",
  "session/fork",
  "session/load",
  "session/prompt",
  "session/resume",
  "session/set_config_option",
  "session/set_mode",
  "session/set_model",
])
