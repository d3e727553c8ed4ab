/**
 * Every bound of what clients, agents, files and networks can make the daemon hold, take or wait for, in one place. Sizes of
 * steps of work (rows of one statement, a buffer to read into, how often something is looked at) stand where they are used:
 * they bound nothing. Those of drivers are in `driver-limits.ts`, those of the
 * file system in `file-limits.ts`, those of installs in `install-limits.ts`.
 * Each one is overfilled by `packages/daemon/test/limits/every.test.ts`.
 */
const KiB = 1024
const MiB = 1024 * KiB

export const limits = {
  /** One JSON request body; attachments travel inside it as base64. */
  requestBodyBytes: 32 * MiB,
  /** All bodies that are being read; one that would go beyond it is `unavailable` with `Retry-After`. */
  requestBodiesBytes: 128 * MiB,
  /** Tickets that sign a page in and that nobody has used yet. */
  signInTickets: 100,
  /** How long a ticket that signs a page in is good. */
  signInTicketMs: 600_000,
  /** A body of a declared length up to this is taken whole, and counts from its first byte. */
  smallBodyBytes: 64 * KiB,
  /** The body of a request, from its first byte to its last. */
  requestBodyMs: 120_000,
  /** How deep JSON of a client may be nested, in a body, a message on a WebSocket or a file: what we take in we must be
   * able to write out. */
  requestBodyDepth: 128,
  /** Text of one message. */
  messageTextBytes: 4 * MiB,
  /** Attachments of one message. */
  messageAttachments: 32,
  /** Bytes of one attachment. */
  attachmentBytes: 16 * MiB,
  /** Fetching an attachment that is given as a `url`. */
  attachmentFetchMs: 30_000,
  /** What `doctor` asks of the network is answered by then, or cannot be reached. */
  doctorAnswerMs: 5_000,
  /** Session metadata as JSON text. */
  metadataBytes: 64 * KiB,
  /** Of a skill's SKILL.md, read for its head. */
  skillHeadBytes: 64 * KiB,
  /** Files and folders in the folders of a session's skills: they are copied for the agent. */
  skillFiles: 2_000,
  /** Bytes in the folders of a session's skills. */
  skillBytes: 64 * MiB,
  /** A file of an agent's own that we read: its settings, or who it is logged in as. */
  settingsFileBytes: 8 * MiB,
  /** A transcript of an agent's own that we read. */
  transcriptBytes: 1024 * MiB,
  /** The title of a session. */
  titleChars: 1_000,
  /** Variables in the `env` of a session. */
  envEntries: 256,
  /** Messages that wait in one session's queue; the next one is `too_many_requests`. */
  queuedMessages: 100,
  /** Open permissions and questions of one session; a further one is cancelled at once. */
  openRequests: 256,
  /** Items open at once in one session; a further one fails the oldest. */
  openItems: 1_024,
  /** Events in one page of `GET …/events`, at most. */
  eventsPage: 1_000,
  /** Events in a page whose request names no `limit`. */
  eventsPageDefault: 200,
  /** Characters after which a page of events ends, native lines included, whatever its limit; `hasMore` says so. */
  eventsPageChars: 4 * MiB,
  /** Sessions in one page of the list, at most. */
  sessionsPage: 200,
  /** Sessions in a page whose request names no `limit`. */
  sessionsPageDefault: 50,
  /** Tool output in one event; longer output is cut in the middle, the native line stays in raw. */
  toolOutputBytes: 512 * KiB,
  /** Text or reasoning of one item; a longer block goes on in a new item of the same group. */
  itemTextBytes: 8 * MiB,
  /** Text of one delta event; a longer one becomes several. */
  deltaBytes: 256 * KiB,
  /** Any other event payload; in a longer one the long fields are cut, and it says so. */
  eventBytes: 1 * MiB,
  /** A field of a payload that is too long: up to this it stays whole. */
  eventFieldBytes: 4 * KiB,
  /** The text of a permission or question. */
  requestChars: 64 * KiB,
  /** One line of an agent's stdout; a longer one is reported and passed over. */
  agentLineBytes: 16 * MiB,
  /** How deep a line of an agent may be nested; a deeper one is not read, and a request in it is refused. */
  agentLineDepth: 256,
  /** The part of a line kept when it is not the protocol. */
  unparsedLineBytes: 64 * KiB,
  /** What is kept of an MCP server's stderr while it runs. */
  mcpStderrBytes: 1024 * KiB,
  /** What is shown of an MCP server's stderr when the server does not start. */
  mcpStderrShownBytes: 4 * KiB,
  /** Lines of an agent's stderr up to which all are kept. */
  stderrLinesAll: 70,
  /** Of a longer stderr: the first lines that are kept. */
  stderrLinesHead: 20,
  /** Of a longer stderr: the last lines that are kept. */
  stderrLinesTail: 50,
  /** One line of stderr; a longer one is cut. */
  stderrLineBytes: 8 * KiB,
  /** Pages of the database beyond `--max-store-bytes` that deleting may use. */
  storeReservePages: 256,
  /** Room on the disk that is kept for deleting: more than the write-ahead log holds beside the file. */
  storeReserveBytes: 8 * MiB,
  /** What one step of deleting takes, of a session that has more; a single row may be larger. */
  purgeBytes: 512 * KiB,
  /** Free pages that the database keeps for what comes next. */
  storeFreePages: 1_024,
  /** Free pages that are given back to the disk in one step. */
  vacuumPages: 64,
  /** What one step of repairing a damaged store copies; a single row may be larger. */
  salvageBytes: 1 * MiB,
  /** A store is not repaired again sooner. */
  repairAgainMs: 10 * 60_000,
  /** A copy of the store from before a migration is removed after so long, or when a session is deleted. */
  backupMs: 7 * 24 * 3_600_000,
  /** Events that one commit takes, and that one page of a log has. */
  flushEvents: 512,
  /** Characters of events in one page of a log. */
  flushChars: 256 * KiB,
  /** Events a second beyond which commits wait for more of them. */
  flushPaceEvents: 2_000,
  /** Commits over which the events of a second are counted. */
  flushPaceCommits: 16,
  /** How long a commit then waits for more events. */
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
  /** Pages read from the database that are kept for further readers. */
  sharedPagesBytes: 4 * MiB,
  /** The same while pages that were dropped are asked for again. */
  sharedPagesMostBytes: 32 * MiB,
  /** Long events that readers are in the middle of, and as much again that was made of them for clients; whoever is in a
   * further one reads and makes it again for each slice. */
  heldPagesBytes: 64 * MiB,
  /** What a stream is given at once; the next when its client has taken that. */
  sliceBytes: 256 * KiB,
  /** All that streams were given and their clients have not taken; near it slices get smaller. */
  handedBytes: 64 * MiB,
  /** The smallest slice of a stream. */
  leastSliceBytes: 8 * KiB,
  /** An answer up to this is given at once, a longer one in slices, as streams are. */
  smallAnswerBytes: 64 * KiB,
  /** Longer answers that clients are taking; a further one is `unavailable` with `Retry-After`. */
  answers: 1_000,
  /** Streams from which on the kernel keeps little unsent for each connection. */
  fewStreams: 16,
  /** What the kernel then keeps unsent for one connection. */
  unsentBytes: 256 * KiB,
  /** What streams are given in one turn of the event loop. */
  turnBytes: 1 * MiB,
  /** How much of a turn of the event loop goes to streams that read the past. */
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
  /** Silence on a stream before a comment is sent. */
  heartbeatMs: 15_000,
  /** Seconds in which a reader takes nothing, before it is disconnected. */
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
  /** An agent starts and opens its session. */
  openMs: 60_000,
  /** An agent takes a message. */
  takenMs: 60_000,
  /** An agent takes the answer to a permission or question. */
  answerMs: 10_000,
  /** An agent takes a change of its settings. */
  configureMs: 10_000,
  /** An agent confirms that it was interrupted; then it is forced. */
  interruptMs: 4_000,
  /** An agent ends after it was asked to; then it gets SIGTERM. */
  closeMs: 1_000,
  /** An agent ends after SIGTERM; then it gets SIGKILL. */
  terminateMs: 1_500,
  /** The whole shutdown of the daemon after SIGTERM. */
  shutdownMs: 4_000,
  /** An idle agent process is stopped after this, and resumed on the next message. */
  idleStopMs: 10 * 60_000,
  /** Agents with a process of their own that stay open at rest; beyond it the one that rested longest is stopped. */
  idleAgents: 64,
  /** A server that sessions share is kept so long without any. */
  sharedLingerMs: 10_000,
  /** The first wait before a shared server that died early is started again. */
  sharedBackoffMs: 250,
  /** The longest of these waits: each is twice the one before. */
  sharedBackoffMaxMs: 8_000,
  /** Bytes of events and native lines after which garbage is collected. */
  collectBytes: 1 * MiB,
  /** The same for bytes that readers take from the database. */
  collectReadBytes: 16 * MiB,
  /** Share of the processor time that collecting garbage may take. */
  collectShare: 0.4,
  /** How often it is looked whether the daemon is idle; then it frees memory. */
  idleCheckMs: 1_500,
  /** Idle for so long, it frees compiled code too. */
  longIdleMs: 6_000,
  /** Share of a processor below which the daemon counts as idle. */
  idleCpuShare: 0.05,
  /** Compiled code goes only after so much processor time was used: what comes next has to compile it again. */
  freeCodeCpuMs: 1_000,
  /** Times in a row that an agent may die of resuming a session before it begins anew, with a brief. */
  resumeTries: 2,
  /** The brief of a session for an agent that does not remember it; less where the model's context is small. */
  briefBytes: 96 * KiB,
  /** Decisions of a person in a brief: the newest. */
  briefDecisions: 50,
  /** Characters of one decision in a brief. */
  briefDecisionChars: 500,
  /** Of a message in a brief, in a turn that is shortened. */
  briefShortChars: 600,
  /** Of what a tool took or gave in a brief, in a turn that is not shortened. */
  briefToolChars: 4_000,
  /** Items of another daemon's session that one is restored from. */
  restoredItems: 20_000,
  /** Pictures and attachments that come with them. */
  restoredBlobs: 1_000,
  /** An agent's own record of a session, which another daemon goes on with. */
  nativeStateBytes: 32 * MiB,
  /** That record as it travels, compressed. */
  nativeStateSentBytes: 12 * MiB,
  /** Sessions with queued messages that are resumed at once after a restart. */
  resumeConcurrency: 2,
  /** The daemon's own log file before it is turned over. */
  logFileBytes: 10 * MiB,
} as const

export type Limits = { -readonly [K in keyof typeof limits]: number }

/** Bounds of the ACP face; overfilled by `packages/daemon/test/acp`. */
export const acpLimits = {
  /** Connections kept; beyond them the one unheard of for longest goes. */
  connections: 1_000,
  /** A connection is forgotten so long after its client was last heard of. */
  connectionMs: 24 * 3_600_000,
  /** Connections that were initialized and not used yet. */
  unclaimed: 256,
  /** How long such a connection has, before it may make room for another. */
  unclaimedMs: 60_000,
  /** Messages of a connection's own (answers, mostly) kept for clients that come back. */
  keptMessages: 10_000,
  /** Characters of a JSON-RPC id. */
  idChars: 1_024,
  /** Characters of the name in `/v1/acp/{serverId}`. */
  serverIdChars: 128,
  /** Bytes a WebSocket has taken and its client has not, before no more are given to it. */
  socketBytes: 256 * KiB,
  /** Messages longer than `sliceBytes` that WebSockets have taken and their clients have not, all together; a further one waits. */
  longMessagesBytes: 64 * MiB,
  /** A client that takes nothing of its long message for so long is closed, while others wait. */
  longMessageMs: 5_000,
  /** Bytes that the client of a WebSocket has not taken, refusals of what it sends among them; beyond that it is closed. */
  socketRefusedBytes: 512 * KiB,
  /** Spans of sessions that a connection was attached to and is no longer; those that ended first are forgotten. */
  pastSpans: 256,
  /** Changes that wait for a disk that takes none; then clients are refused until it does. */
  unwritten: 10_000,
  /** Pages of logs as clients see them, kept for further clients. */
  projectedBytes: 4 * MiB,
  /** The same while pages that were dropped are asked for again. */
  projectedMostBytes: 32 * MiB,
  /** Items whose heads are kept in memory for their deltas: those that are open now, in all sessions. */
  itemHeads: 4_096,
  /** Forms of chunks of one session that are known; others are parsed. */
  chunkForms: 8,
  /** What stands around the text of such a chunk. */
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
  /** Processes that live at once, terminals and one-shot runs among them. */
  concurrent: 64,
  /** The most that `concurrent` can be set to. */
  mostConcurrent: 1_024,
  /** A run that names no time. */
  runMs: 30_000,
  /** The longest time that a run may name. */
  longestRunMs: 3_600_000,
  /** The most that `longestRunMs` can be set to. */
  mostRunMs: 24 * 3_600_000,
  /** Kept of stdout, and of stderr, of a run: the first half and the last half. */
  outputBytes: 1 * MiB,
  /** The most that `outputBytes` can be set to. */
  mostOutputBytes: 16 * MiB,
  /** The log of one process on disk; what came first is dropped. */
  logBytes: 10 * MiB,
  /** The most that `logBytes` can be set to. */
  mostLogBytes: 1024 * MiB,
  /** The least that `logBytes` can be set to. */
  leastLogBytes: 64 * KiB,
  /** One piece of input. */
  inputBytes: 1 * MiB,
  /** The most that `inputBytes` can be set to. */
  mostInputBytes: 16 * MiB,
  /** Words after the program. */
  arguments: 4_096,
  /** Ended ones that are kept, with their logs; the oldest go first. */
  endedProcesses: 100,
  /** One entry of a log. */
  logEntryBytes: 64 * KiB,
  /** Read from a log in one step. */
  logReadBytes: 256 * KiB,
  /** How often ports are looked for while processes live. */
  portsMs: 1_000,
  /** How soon ports are looked for after a process has written something. */
  portsSoonMs: 100,
  /** How long a request may wait for the end of a process. */
  waitMs: 3_600_000,
  /** Columns or rows of a terminal. */
  terminalSize: 1_000,
  /** Lines above the screen of a terminal that are kept. */
  terminalScrollback: 2_000,
  /** The title of a terminal. */
  terminalTitleChars: 1_000,
  /** A control sequence of which only the beginning has come. */
  terminalSequenceBytes: 64 * KiB,
  /** Input of a terminal that its program has not read. */
  terminalInputBytes: 1 * MiB,
  /** What one viewer of a terminal has not taken, before the program waits for it if no other is faster. */
  viewerBytes: 256 * KiB,
  /** How long the program waits for a viewer. */
  viewerStallMs: 5_000,
  /** Viewers of one terminal. */
  viewers: 64,
  /** Tickets of terminals that nobody has used yet. */
  tickets: 1_000,
  /** How long a ticket of a terminal is good. */
  ticketMs: 30_000,
  /** What one client of a stream has not taken, before the program is not read any further. */
  streamBytes: 256 * KiB,
} as const

export type ProcessLimits = { -readonly [K in keyof typeof processLimits]: number }

/** Bounds of what is configured for directories; overfilled by `packages/daemon/test/config`. */
export const configLimits = {
  /** MCP servers, and entries of skills, of one directory. */
  directoryEntries: 64,
  /** Entries of all directories. */
  entries: 10_000,
  /** One entry as JSON text: files of skills can be given in it. */
  entryBytes: 4 * MiB,
  /** The longest that an agent may be told to wait for an MCP server. */
  mcpTimeoutMs: 600_000,
  /** Sources of one entry of skills. */
  sources: 32,
  /** Files that one source of skills can hold inline. */
  inlineFiles: 200,
  /** Fetching a repository of skills. */
  fetchMs: 120_000,
  /** The largest file that is written for a repository of skills; its history is not fetched. */
  packBytes: 256 * MiB,
  /** Files that are checked out of a repository of skills. */
  treeFiles: 20_000,
  /** Bytes that are checked out of a repository of skills. */
  treeBytes: 256 * MiB,
  /** What was fetched and nobody names any more is kept so long for a session that is being made of it. */
  keptMs: 10 * 60_000,
} as const

export type ConfigLimits = { -readonly [K in keyof typeof configLimits]: number }
