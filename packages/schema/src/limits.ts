/**
 * Every bound of what clients, agents, files and networks can make the daemon hold, take or wait for, in one place. Sizes of
 * steps of work (rows of one statement, a buffer to read into, how often something is looked at) stand where they are used:
 * they bound nothing. Those of one part stand beside this file: `acp-limits.ts`, `config-limits.ts`, `driver-limits.ts`,
 * `file-limits.ts`, `install-limits.ts`, `process-limits.ts`.
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
  /** Changes that are on disk in the redo file alone; beyond that a commit brings them into the database. */
  redoBytes: 256 * KiB,
  /** What is read of that file: more than any daemon leaves there, with the rows of its last commit. */
  redoReadBytes: 256 * 1024 * KiB,
  /** How long they are at most in the redo file alone. */
  redoMs: 50,
  /** So long after the last of them they come into the database: not while a turn goes on. */
  redoRestMs: 2,
  /** Characters of events in a commit that goes to the redo file; a larger one goes into the database at once. */
  redoCommitChars: 16 * KiB,
  /** Rows of such a commit. */
  redoCommitRows: 32,
  /** Messages of all sessions that became final last, and are known without a look into the database. */
  recentMessages: 256,
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
  /** An agent takes the answer to a permission or question: there is room for it in its input, or its server has said so. */
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
  /** Openings in a server that sessions share that may go without an answer; then nobody else is sent to it. */
  hungOpenings: 8,
  /** The first wait before a shared server that died early is started again. */
  sharedBackoffMs: 250,
  /** The longest of these waits: each is twice the one before. */
  sharedBackoffMaxMs: 8_000,
  /** Bytes of events and native lines after which garbage is collected, at the latest after twice as many. */
  collectBytes: 1 * MiB,
  /** So long after a small commit it is: not while a short turn goes on. */
  collectRestMs: 2,
  /** The same for bytes that readers take from the database. */
  collectReadBytes: 16 * MiB,
  /** Time that collecting garbage may take, as a share of that of all other work. */
  collectShare: 0.5,
  /** How often it is looked whether the daemon is idle; then it frees memory. */
  idleCheckMs: 1_500,
  /** Idle for so long, it frees compiled code too. */
  longIdleMs: 6_000,
  /** Share of a processor below which the daemon counts as idle. */
  idleCpuShare: 0.05,
  /** Compiled code goes only after so much processor time was used: what comes next has to compile it again. */
  freeCodeCpuMs: 1_000,
  /** An idle daemon frees its program's pages again only after so much processor time was used. */
  freeProgramCpuMs: 50,
  /** Times in a row that an agent may fail to go on with what it kept of a session before it begins anew, with a brief. */
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
