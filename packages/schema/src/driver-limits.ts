const KiB = 1024
const MiB = 1024 * KiB

/** Bounds of what an ACP agent may have of us; overfilled by `packages/daemon/test/drivers/acp`. */
export const acpAgentLimits = {
  /** A file it reads or writes through us. */
  fileBytes: 16 * MiB,
  /** Output kept of one terminal when it asks for no less; what came first is dropped. */
  terminalBytes: 1 * MiB,
  /** Terminals of one session that it has not released. */
  terminals: 64,
  /** An attachment that travels inside a prompt; a larger one is named by its path. */
  promptBytes: 10 * MiB,
  /** Models that are asked for their variants, when the catalog is made. */
  probedModels: 24,
  /** Output of a terminal kept for the result of one call: its beginning and its end. */
  callOutputChars: 1 * MiB,
  /** Arguments of a call that are shown while they may still change; longer ones stand in the call once it runs. */
  shownInputChars: 64 * KiB,
  /** Of a text under no message's name, its end: it may turn out to be the error of the turn. */
  asideChars: 16 * KiB,
  /** A message outside a turn is whole when nothing more of it has come for so long. */
  lateMessageMs: 2_000,
  /** What a process says of sessions that several wait for, before it has told which is whose. */
  earlyChars: 4 * MiB,
  /** Sessions that have left a process, by name: what is still said of them goes to nobody. */
  leftSessions: 1_024,
  /** Waiting for a session to be closed politely on a process that others use. */
  sessionCloseMs: 2_000,
  /** How long the first prompt of a continued session may be refused because the agent does not know the session. */
  unknownSessionMs: 2_000,
  /** Of a notification that only the agent knows, in the status that shows it. */
  statusChars: 1_000,
  /** Waiting for a client to answer a request that only it can; then the agent is told that nobody does. */
  passedOnMs: 10_000,
  /** How often in a turn an agent is put back that moves by itself into a mode, or sets an option, with which it may not ask; then it is stopped. */
  modeRestores: 3,
} as const

/** Bounds of what drivers have in common; overfilled by `packages/daemon/test/drivers/shared`, and for ACP agents by `known-calls.test.ts`. */
export const callLimits = {
  /** Calls of tools that wait for their result; the oldest go first. */
  waitingCalls: 1_024,
  /** What they were called with, all together as JSON; of the oldest it is let go of first. */
  waitingInputChars: 8 * MiB,
  /** A file that is compared with what it would become; a larger one is only named. */
  comparedBytes: 1 * MiB,
  /** Where the time of its first entry is looked for in an agent's file of a session; behind that it is not known. */
  firstEntryBytes: 4 * KiB,
  /** What programs and directories were asked once, like models; what was not wanted for the longest time is asked again. */
  keptAnswers: 256,
} as const

/** Bounds of the driver of Amp; overfilled by `packages/daemon/test/drivers/amp`. */
export const ampLimits = {
  /** Tools that wait to be allowed; further ones are refused. */
  asks: 256,
  /** What one tool that waits to be allowed was called with. */
  askBytes: 16 * MiB,
  /** Pictures in a message beyond which Amp ends: the rest is named by its path. */
  images: 4,
  /** Bytes of a picture beyond which Amp ends: a larger one is named by its path. */
  imageBytes: 5_138_022,
  /** It says nothing of an empty answer: after so long without a word it is asked to end, which it does when it is done. */
  silenceMs: 60_000,
  /** Of the title of a call: the first line of what it does. */
  titleChars: 200,
  /** Folders that are looked at for MCP servers of skills, of the user and of the repository each; what is in others does not start. */
  skillFolders: 2_048,
  /** A thread that is adopted, as Amp exports it. */
  exportChars: 64 * MiB,
  /** It uploads a thread so long after it has changed, at the latest. */
  uploadMs: 2_000,
} as const

/** Bounds of the driver of Claude Code; overfilled by `packages/daemon/test/drivers/claude`. */
export const claudeLimits = {
  /** A picture or document that is sent inside a message; a larger one is named by its path. */
  attachmentBytes: 20 * MiB,
  /** Its transcript is whole when it has not grown for so long. */
  transcriptQuietMs: 200,
  /** What a fork waits for a whole transcript. */
  transcriptWaitMs: 3_000,
} as const

/** Bounds of the driver of OpenCode; overfilled by `packages/daemon/test/drivers/opencode/limits.test.ts`. */
export const opencodeLimits = {
  /** Ports that are tried when another program is faster each time. */
  startTries: 4,
  /** Until the stream of events of a new server begins. */
  connectMs: 30_000,
  /** It says something every ten seconds; longer silence is a connection that died unnoticed. */
  silenceMs: 40_000,
  /** The first wait before the stream is opened again. */
  reconnectMs: 250,
  /** The longest wait before the stream is opened again. */
  reconnectMaxMs: 5_000,
  /** A server that is alive answers sooner, also on a busy machine; only a first request in a directory takes seconds. */
  answerMs: 45_000,
  /** After it has said that it stopped, for what it has still to say of that. */
  settleMs: 2_000,
  /** Between an idle that comes too early and the true one; normally a tenth of a second. */
  earlyMs: 5_000,
  /** A picture or document that is sent inside a message; a larger one is named by its path. */
  attachmentBytes: 20 * MiB,
  /** Entries of a project's folders for OpenCode that are looked at; one that has more counts as one that runs programs. */
  projectFiles: 4_096,
  /** Agents and commands of a project whose own configuration is not read: they go in a variable, which Linux ends at 128 KiB. */
  projectConfigBytes: 64 * KiB,
  /** Of what is left out of a project, in the words of the log. */
  namedPowers: 32,
} as const

export type OpencodeLimits = { -readonly [K in keyof typeof opencodeLimits]: number }

/** Bounds of the driver of Pi; overfilled by `packages/daemon/test/drivers/pi/limits.test.ts`. */
export const piLimits = {
  /** Of the title of a call: the first line of what it does. */
  titleChars: 200,
  /** Pictures in a message: the rest is named by its path. */
  images: 20,
  /** Bytes of a picture: a larger one is named by its path. */
  imageBytes: 20 * MiB,
  /** Of what an extension shows to people. */
  noteChars: 4_000,
  /** One message of an MCP server to our extension; a server with a longer one is given up. */
  mcpMessageChars: 16 * MiB,
} as const

/** Bounds of the driver of Codex; overfilled by `packages/daemon/test/drivers/codex`. */
export const codexLimits = {
  /** Of the title of a call: the first line of what it does. */
  titleChars: 200,
  /** A message waits so long for the MCP servers of its thread to start. */
  mcpStartMs: 30_000,
  /** A message waits so long for a first word of them: an older Codex says none. */
  mcpStatusMs: 1_000,
} as const
