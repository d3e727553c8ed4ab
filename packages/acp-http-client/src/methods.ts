import type * as acp from "./protocol.ts"

/** What a client may ask an agent. */
export interface AgentMethods {
  initialize: [acp.InitializeRequest, acp.InitializeResponse]
  authenticate: [acp.AuthenticateRequest, acp.AuthenticateResponse]
  logout: [acp.LogoutRequest, acp.LogoutResponse]
  "session/new": [acp.NewSessionRequest, acp.NewSessionResponse]
  "session/load": [acp.LoadSessionRequest, acp.LoadSessionResponse]
  "session/resume": [acp.ResumeSessionRequest, acp.ResumeSessionResponse]
  "session/fork": [acp.ForkSessionRequest, acp.ForkSessionResponse]
  "session/list": [acp.ListSessionsRequest, acp.ListSessionsResponse]
  "session/close": [acp.CloseSessionRequest, acp.CloseSessionResponse]
  "session/delete": [acp.DeleteSessionRequest, acp.DeleteSessionResponse]
  "session/set_mode": [acp.SetSessionModeRequest, acp.SetSessionModeResponse]
  "session/set_config_option": [acp.SetSessionConfigOptionRequest, acp.SetSessionConfigOptionResponse]
  /** No longer in the schema, still spoken by agents that answer `session/new` with `models`. */
  "session/set_model": [{ sessionId: string; modelId: string }, Record<string, unknown> | null]
  "session/prompt": [acp.PromptRequest, acp.PromptResponse]
}

/** What an agent may ask a client. */
export interface ClientMethods {
  "session/request_permission": [acp.RequestPermissionRequest, acp.RequestPermissionResponse]
  "elicitation/create": [acp.CreateElicitationRequest, acp.CreateElicitationResponse]
  "fs/read_text_file": [acp.ReadTextFileRequest, acp.ReadTextFileResponse]
  "fs/write_text_file": [acp.WriteTextFileRequest, acp.WriteTextFileResponse]
  "terminal/create": [acp.CreateTerminalRequest, acp.CreateTerminalResponse]
  "terminal/output": [acp.TerminalOutputRequest, acp.TerminalOutputResponse]
  "terminal/wait_for_exit": [acp.WaitForTerminalExitRequest, acp.WaitForTerminalExitResponse]
  "terminal/kill": [acp.KillTerminalRequest, acp.KillTerminalResponse]
  "terminal/release": [acp.ReleaseTerminalRequest, acp.ReleaseTerminalResponse]
}

export type AgentMethod = keyof AgentMethods
export type ClientMethod = keyof ClientMethods

export interface HandlerContext {
  method: string
  /** Aborted when the agent withdraws the request, the session is cancelled, or the client is closed. */
  signal: AbortSignal
}

/** Answers a request of the agent: what it returns is the result, an `AcpRpcError` it throws the error. */
export type Handler<Params, Result> = (params: Params, context: HandlerContext) => Result | Promise<Result>

/** By method. Extensions by their own name; `*` takes what no other does. A method without a handler is answered with -32601. */
export type Handlers = {
  [Method in ClientMethod]?: Handler<ClientMethods[Method][0], ClientMethods[Method][1]>
} & {
  [method: `_${string}`]: Handler<unknown, unknown> | undefined
  "*"?: Handler<unknown, unknown>
}

/** Sent for these before the server may know the session: no stream of it can be opened yet. */
export const attaching: ReadonlySet<string> = new Set(["session/load", "session/resume"])
/** After these a session has no more to say. */
export const detaching: ReadonlySet<string> = new Set(["session/close", "session/delete"])
