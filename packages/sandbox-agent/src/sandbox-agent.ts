/** The public surface of the package; adding a name here is a decision. */
export type { Config } from "./api/config.ts"
export type { FileHead, Files, ReadOptions, WriteOptions } from "./api/files.ts"
export type { OmittedText } from "./api/kept-text.ts"
export type { ProcessEvent, Processes, RunEvent } from "./api/processes.ts"
export type { Rest } from "./api/rest.ts"
export type { Program, RunExit, RunHandlers, RunOptions, RunOutput, RunResult } from "./api/run.ts"
export type { StreamOptions } from "./api/streams.ts"
export type { Terminals } from "./api/terminals.ts"
export type { DownloadOptions, Uploaded, UploadFile, UploadOptions, UploadSource } from "./api/transfers.ts"
export type { CancelOptions, EventOptions, EventPage, InstallOptions } from "./api/universal.ts"
export { type ClientOptions, type ConnectOptions, SandboxAgentClient } from "./client.ts"
export {
  AlreadyConnectedError,
  type ErrorKind,
  HeadersNotSentError,
  isSandboxAgentError,
  MessageError,
  NotConnectedError,
  ProblemError,
  SandboxAgentError,
  SandboxError,
  type SandboxErrorCode,
  SessionCallError,
  TurnError,
} from "./errors.ts"
export type { EventStream, StreamState } from "./http/event-stream.ts"
export type { Bytes, CallOptions, Fetch, HeaderSource, TokenSource } from "./http/http.ts"
export type { OnProgress, Progress } from "./http/progress.ts"
export { defaultLimits, type Limits } from "./limits.ts"
export type { HttpClientOptions } from "./options.ts"
export type { Prompt, PromptPart } from "./prompt.ts"
export type { Sandbox, SandboxAddress, SandboxOptions, SandboxProvider, SandboxStart } from "./sandbox/sandbox.ts"
export type { PermissionHandler, PermissionRequest, QuestionHandler, QuestionRequest } from "./session/requests.ts"
export type { SendOptions, Session, TurnResult } from "./session/session.ts"
export type * from "./session-calls.ts"
export type { Socket, SocketMaker } from "./socket/socket-maker.ts"
export { type SpawnedSandboxAgent, type SpawnOptions, spawnSandboxAgent } from "./spawn.ts"
export type { Screen } from "./terminal/screen.ts"
export type { Terminal, TerminalState } from "./terminal/terminal.ts"
export type { TerminalExit, TerminalSize } from "./terminal/terminal-line.ts"
export type { TranscriptTurn } from "./transcript/fold.ts"
export type { Span } from "./transcript/spans.ts"
export type { Transcript, TranscriptState } from "./transcript/transcript.ts"
export type * from "./types.ts"
