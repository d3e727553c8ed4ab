/**
 * Every bound of what clients, agents, files and networks can make the daemon hold, take or wait for, in one place. Sizes of
 * steps of work (rows of one statement, a buffer to read into, how often something is looked at) stand where they are used:
 * they bound nothing. Those of drivers are in `driver-limits.ts`, those of the file system in `file-limits.ts`.
 * Each one is overfilled by `packages/daemon/test/limits/every.test.ts`.
 */
const KiB = 1024
const MiB = 1024 * KiB

export const limits = {
  /** One JSON request body; attachments travel inside it as base64. */
  requestBodyBytes: 32 * MiB,
  /** All bodies that are being read; one that would go beyond it is `unavailable` with `Retry-After`. */
  requestBodiesBytes: 128 * MiB,
  /** Tickets that sign a page in and that nobody has used yet, and how long one lives. */
  signInTickets: 100,
  signInTicketMs: 600_000,
  /** A body of a declared length up to this is taken whole, and counts from its first byte. */
  smallBodyBytes: 64 * KiB,
  /** From its first byte to its last. */
  requestBodyMs: 120_000,
  /** How deep JSON of a client may be nested, in a body, a message on a WebSocket or a file: what we take in we must be
   * able to write out. */
  requestBodyDepth: 128,
  /** Text of one message. */
  messageTextBytes: 4 * MiB,
  /** Attachments of one message, and the bytes of each. */
  messageAttachments: 32,
  attachmentBytes: 16 * MiB,
  attachmentFetchMs: 30_000,
  /** What `doctor` asks of the network is answered by then, or cannot be reached. */
  doctorAnswerMs: 5_000,
  /** Session metadata as JSON text. */
  metadataBytes: 64 * KiB,
  /** Of a skill's SKILL.md, read for its head. */
  skillHeadBytes: 64 * KiB,
  /** Files and folders in the folders of a session's skills, and the bytes in them: they are copied for the agent. */
  skillFiles: 2_000,
  skillBytes: 64 * MiB,
  /** A file of an agent's own that we read: its settings, or who it is logged in as. */
  settingsFileBytes: 8 * MiB,
  /** A transcript of an agent's own that we read. */
  transcriptBytes: 1024 * MiB,
  titleChars: 1_000,
  /** Environment given at create. */
  envEntries: 256,
  /** Messages that wait in one session's queue; the next one is `too_many_requests`. */
  queuedMessages: 100,
  /** Open permissions and questions of one session; a further one is cancelled at once. */
  openRequests: 256,
  /** Items open at once in one session; a further one fails the oldest. */
  openItems: 1_024,
  /** A page of `GET …/events` and of the session list. */
  eventsPage: 1_000,
  eventsPageDefault: 200,
  /** Characters after which a page of events ends, native lines included, whatever its limit; `hasMore` says so. */
  eventsPageChars: 4 * MiB,
  sessionsPage: 200,
  sessionsPageDefault: 50,
  /** Tool output in one event; longer output is cut in the middle, the native line stays in raw. */
  toolOutputBytes: 512 * KiB,
  /** Text or reasoning of one item; a longer block goes on in a new item of the same group. */
  itemTextBytes: 8 * MiB,
  /** Text of one delta event; a longer one becomes several. */
  deltaBytes: 256 * KiB,
  /** Any other event payload; beyond it the payload is replaced by a note that says so. Fields up to the second stay as they are. */
  eventBytes: 1 * MiB,
  eventFieldBytes: 4 * KiB,
  /** The text of a permission or question. */
  requestChars: 64 * KiB,
  /** One line of an agent's stdout; a longer one is reported and passed over. */
  agentLineBytes: 16 * MiB,
  /** How deep a line of an agent may be nested; a deeper one is not read, and a request in it is refused. */
  agentLineDepth: 256,
  /** The part of a line kept when it is not the protocol. */
  unparsedLineBytes: 64 * KiB,
  /** What an MCP server says on stderr: kept while it runs, and shown of it when it does not start. */
  mcpStderrBytes: 1024 * KiB,
  mcpStderrShownBytes: 4 * KiB,
  /** Lines of stderr kept of one process: all up to `all`, else the first and the last. */
  stderrLinesAll: 70,
  stderrLinesHead: 20,
  stderrLinesTail: 50,
  stderrLineBytes: 8 * KiB,
  /** Pages of the database beyond `--max-store-bytes` that deleting may use. */
  storeReservePages: 256,
  /** Room on the disk that is kept for deleting: more than the write-ahead log holds beside the file. */
  storeReserveBytes: 8 * MiB,
  /** What one step of deleting takes, of a session that has more; a single row may be larger. */
  purgeBytes: 512 * KiB,
  /** Free pages that the database keeps for what comes next; those given back to the disk in one step. */
  storeFreePages: 1_024,
  vacuumPages: 64,
  /** What one step of repairing a damaged store copies; a single row may be larger. */
  salvageBytes: 1 * MiB,
  /** A store is not repaired again sooner. */
  repairAgainMs: 10 * 60_000,
  /** A copy of the store from before a migration is removed after so long, or when a session is deleted. */
  backupMs: 7 * 24 * 3_600_000,
  /** Events that one commit takes at most; events, and characters of events, of one page of a log. */
  flushEvents: 512,
  flushChars: 256 * KiB,
  /** Beyond so many events a second, counted over the last commits, the next one waits so long for more of them. */
  flushPaceEvents: 2_000,
  flushPaceCommits: 16,
  flushPaceMs: 2,
  /** So long after the last commit the next one does not wait for the turn of the loop to end. */
  commitRestMs: 0.2,
  /** What a native line that gave no event waits for one to be committed with. */
  flushLooseMs: 20,
  /** Uncommitted characters of one session before its agent's pipe is no longer read. */
  pendingChars: 4 * MiB,
  /** Committed events of one active session kept in memory for its readers. */
  tailBytes: 1 * MiB,
  /** What a reader takes from the log in one step. */
  readerPageBytes: 64 * KiB,
  /** Pages read from the database that are kept for further readers; more when what was dropped is asked for again. */
  sharedPagesBytes: 4 * MiB,
  sharedPagesMostBytes: 32 * MiB,
  /** Long events that readers are in the middle of, and as much again that was made of them for clients; whoever is in a
   * further one reads and makes it again for each slice. */
  heldPagesBytes: 64 * MiB,
  /** What a stream is given at once; the next when its client has taken that. */
  sliceBytes: 256 * KiB,
  /** All that streams were given and their clients have not taken; near it slices get smaller, down to the least. */
  handedBytes: 64 * MiB,
  leastSliceBytes: 8 * KiB,
  /** An answer up to this is given at once, a longer one in slices, as streams are. */
  smallAnswerBytes: 64 * KiB,
  /** Longer answers that clients are taking; a further one is `unavailable` with `Retry-After`. */
  answers: 1_000,
  /** From so many streams on the kernel keeps no more than this unsent for each connection. */
  fewStreams: 16,
  unsentBytes: 256 * KiB,
  /** What streams are given in one turn of the event loop, and how long those that read what is past may take of it. */
  turnBytes: 1 * MiB,
  turnMs: 4,
  /** Streams open at once. */
  streams: 2_000,
  /** Of the files that may be open, what streams may take. */
  streamsShare: 0.5,
  /** Sessions kept loaded in memory although nothing happens in them. */
  idleSessionsLoaded: 256,
  /** A loaded session is not forgotten sooner: longer than any request holds one. */
  evictAfterMs: 120_000,
  /** Lifecycle events of all sessions that are kept. */
  globalEvents: 100_000,
  /** Silence on a stream before a comment is sent, and seconds a reader may take nothing. */
  heartbeatMs: 15_000,
  stalledReaderSeconds: 120,
  /** How often idle agents are looked for and old events are cut. */
  tidyMs: 5_000,
  /** How often a daemon that nobody uses looks for events that have become too old. */
  retentionMs: 3_600_000,
  /** What readers of a deleted session have to take what they lack of its log. */
  deletedReadersMs: 10_000,
  /** How often a daemon that nobody asks looks whether open files become scarce. */
  openFilesMs: 60_000,
  /** What an agent says waits so long for a file that belongs to it; then it goes on without. */
  heldMs: 5_000,
  /** Deadlines of the core towards an agent. */
  openMs: 60_000,
  takenMs: 60_000,
  answerMs: 10_000,
  configureMs: 10_000,
  interruptMs: 4_000,
  /** Polite end of an agent, then SIGTERM, then SIGKILL. */
  closeMs: 1_000,
  terminateMs: 1_500,
  /** The whole shutdown of the daemon after SIGTERM. */
  shutdownMs: 4_000,
  /** An idle agent process is stopped after this, and resumed on the next message. */
  idleStopMs: 10 * 60_000,
  /** Agents with a process of their own that stay open at rest; beyond it the one that rested longest is stopped. */
  idleAgents: 64,
  /** A server shared by sessions: kept without any for so long; waits before it is started again after early deaths. */
  sharedLingerMs: 10_000,
  sharedBackoffMs: 250,
  sharedBackoffMaxMs: 8_000,
  /** Bytes of events and native lines after which garbage is collected, unless that takes more than this share of the processor time. */
  collectBytes: 1 * MiB,
  /** The same for bytes that readers take from the database. */
  collectReadBytes: 16 * MiB,
  collectShare: 0.4,
  /** The daemon is idle when it used less than this share of a processor in so long: it frees memory, and after a long
   * idle period compiled code, too. */
  idleCheckMs: 1_500,
  longIdleMs: 6_000,
  idleCpuShare: 0.05,
  /** Compiled code goes only after so much processor time was used: what comes next has to compile it again. */
  freeCodeCpuMs: 1_000,
  /** Times in a row that an agent may die of resuming a session before it begins anew, with a brief. */
  resumeTries: 2,
  /** The brief of a session for an agent that does not remember it; less where the model's context is small. */
  briefBytes: 96 * KiB,
  /** Decisions of a person in a brief, the newest, and the characters of each. */
  briefDecisions: 50,
  briefDecisionChars: 500,
  /** In a brief: of a message in a turn that is shortened, and of what a tool took or gave in one that is not. */
  briefShortChars: 600,
  briefToolChars: 4_000,
  /** Items of another daemon's session that one is restored from. */
  restoredItems: 20_000,
  /** Pictures and attachments that come with them. */
  restoredBlobs: 1_000,
  /** Sessions with queued messages that are resumed at once after a restart. */
  resumeConcurrency: 2,
  /** The daemon's own log file before it is turned over. */
  logFileBytes: 10 * MiB,
} as const

export type Limits = { -readonly [K in keyof typeof limits]: number }

/** Bounds of installing agents; overfilled by `packages/daemon/test/install`. */
export const installLimits = {
  /** One download, and all that is unpacked from it. */
  downloadBytes: 1024 * MiB,
  unpackedBytes: 4096 * MiB,
  unpackedFiles: 50_000,
  /** A version file, a manifest, a list of digests. */
  metadataBytes: 4 * MiB,
  redirects: 5,
  /** Until the first byte of an answer; between two pieces of one; for the whole of one. */
  answerMs: 20_000,
  stallMs: 30_000,
  downloadMs: 20 * 60_000,
  /** The package manager: asked for a version, and for a whole install. */
  npmResolveMs: 30_000,
  npmInstallMs: 15 * 60_000,
  /** One version command; what a list waits for it; what an install waits for the new program. */
  versionMs: 20_000,
  versionListMs: 1_500,
  /** Where a program was a moment ago is where it is. */
  lookedMs: 5_000,
  versionOutputLines: 50,
  /** Waiting for an install that another process does. */
  lockMs: 30 * 60_000,
  lockRetryMs: 100,
  /** At least between two reports of progress in one phase. */
  progressMs: 100,
  /** Lines of a package manager's errors that a message repeats, and their characters. */
  failureLines: 6,
  failureChars: 600,
} as const

export type InstallLimits = { -readonly [K in keyof typeof installLimits]: number }

/** Bounds of the ACP face; overfilled by `packages/daemon/test/acp`. */
export const acpLimits = {
  /** Connections kept; beyond them the one unheard of for longest goes. */
  connections: 1_000,
  /** A connection is forgotten so long after its client was last heard of. */
  connectionMs: 24 * 3_600_000,
  /** Connections that were initialized and not used yet, and how long such a client has before it may make room. */
  unclaimed: 256,
  unclaimedMs: 60_000,
  /** Messages of a connection's own (answers, mostly) kept for clients that come back. */
  keptMessages: 10_000,
  /** Characters of a JSON-RPC id and of the name in `/v1/acp/{serverId}`. */
  idChars: 1_024,
  serverIdChars: 128,
  /** Bytes a WebSocket has taken and its client has not, before no more are given to it. */
  socketBytes: 256 * KiB,
  /** Messages longer than `sliceBytes` that WebSockets have taken and their clients have not, all together; a further one
   * waits. Meanwhile a client that takes nothing of its own for so long is closed. */
  longMessagesBytes: 64 * MiB,
  longMessageMs: 5_000,
  /** With refusals of what it sends meanwhile: beyond that it is closed. */
  socketRefusedBytes: 512 * KiB,
  /** Spans of sessions that a connection was attached to and is no longer; those that ended first are forgotten. */
  pastSpans: 256,
  /** Changes that wait for a disk that takes none; then clients are refused until it does. */
  unwritten: 10_000,
  /** Pages of logs as clients see them, kept for further clients; more when what was dropped is asked for again. */
  projectedBytes: 4 * MiB,
  projectedMostBytes: 32 * MiB,
  /** Items whose heads are kept in memory for their deltas: those that are open now, in all sessions. */
  itemHeads: 4_096,
  /** Forms of chunks of one session that are known, and what stands around the text of one: others are parsed. */
  chunkForms: 8,
  chunkFormChars: 16 * KiB,
  /** Answers of a connection given in bodies that are remembered, so that a shared stream need not repeat them. */
  bodyAnswers: 4_096,
  /** A picture that is sent inside a message; of a larger one the client gets a link. */
  imageBytes: 4 * MiB,
  /** How long an answer waits for the history, or the turn, to be taken from a stream of its own. */
  replayWaitMs: 5_000,
  /** An answer that takes longer begins with white space, so that nobody on the way takes the silence for an end. Not
   * sooner than need be: a client that is slow to read it would read the answer with it, before its stream. */
  plainAnswerMs: 5_000,
} as const

export type AcpLimits = { -readonly [K in keyof typeof acpLimits]: number }

/** Bounds of the processes and terminals of clients; overfilled by `packages/daemon/test/processes`. Those that clients may
 * change with `POST /v1/processes/config` have a `most…` beside them. */
export const processLimits = {
  /** That live at once, terminals and one-shot runs among them. */
  concurrent: 64,
  mostConcurrent: 1_024,
  /** A run that names no time; the longest that one may name. */
  runMs: 30_000,
  longestRunMs: 3_600_000,
  mostRunMs: 24 * 3_600_000,
  /** Kept of stdout, and of stderr, of a run: the first half and the last half. */
  outputBytes: 1 * MiB,
  mostOutputBytes: 16 * MiB,
  /** The log of one process on disk; what came first is dropped. */
  logBytes: 10 * MiB,
  mostLogBytes: 1024 * MiB,
  leastLogBytes: 64 * KiB,
  /** One piece of input. */
  inputBytes: 1 * MiB,
  mostInputBytes: 16 * MiB,
  /** Words after the program. */
  arguments: 4_096,
  /** Ended ones that are kept, with their logs; the oldest go first. */
  endedProcesses: 100,
  /** One entry of a log. */
  logEntryBytes: 64 * KiB,
  /** Read from a log in one step. */
  logReadBytes: 256 * KiB,
  /** Ports are looked for this often while processes live, and so soon after one has written something. */
  portsMs: 1_000,
  portsSoonMs: 100,
  /** How long a request may wait for the end of a process. */
  waitMs: 3_600_000,
  /** A terminal: its columns or rows, lines above its screen that are kept, its title, input that its program has not read. */
  terminalSize: 1_000,
  terminalScrollback: 2_000,
  terminalTitleChars: 1_000,
  /** A sequence of which only the beginning has come. */
  terminalSequenceBytes: 64 * KiB,
  terminalInputBytes: 1 * MiB,
  /** What one viewer of a terminal has not taken before its program waits for it, if no other is faster; and for how long. */
  viewerBytes: 256 * KiB,
  viewerStallMs: 5_000,
  /** Viewers of one terminal. */
  viewers: 64,
  /** Tickets that nobody has used yet, and how long one lives. */
  tickets: 1_000,
  ticketMs: 30_000,
  /** What one client of a stream has not taken, before the program is not read any further. */
  streamBytes: 256 * KiB,
} as const

export type ProcessLimits = { -readonly [K in keyof typeof processLimits]: number }

/** Bounds of what is configured for directories; overfilled by `packages/daemon/test/config`. */
export const configLimits = {
  /** MCP servers, and entries of skills, of one directory; all entries of all directories. */
  directoryEntries: 64,
  entries: 10_000,
  /** One entry as JSON text: files of skills can be given in it. */
  entryBytes: 4 * MiB,
  /** The longest that an agent may be told to wait for an MCP server. */
  mcpTimeoutMs: 600_000,
  /** Sources of one entry of skills, and the files that one of them can hold inline. */
  sources: 32,
  inlineFiles: 200,
  /** A repository of skills: how long it may take to fetch, the largest file that is written for it (its history is not
   * fetched), and what is checked out of it. */
  fetchMs: 120_000,
  packBytes: 256 * MiB,
  treeFiles: 20_000,
  treeBytes: 256 * MiB,
  /** What was fetched and nobody names any more is kept so long for a session that is being made of it. */
  keptMs: 10 * 60_000,
} as const

export type ConfigLimits = { -readonly [K in keyof typeof configLimits]: number }
