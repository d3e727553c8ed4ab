const KiB = 1024
const MiB = 1024 * KiB

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
  /** Prompts of all connections that are known without a look into the database. */
  recentPrompts: 256,
  /** Characters of a JSON-RPC id. */
  idChars: 1_024,
  /** Characters of a prompt for an agent that speaks ACP beside its words and bytes: `_meta`, annotations, titles. */
  promptFieldsChars: 1 * MiB,
  /** Of what an agent said of the state of a session, for who resumes that; a longer message is translated. */
  stateChars: 64 * KiB,
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
  projectedBytes: 1 * MiB,
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
  /** How long a client that has left may take to come back, before a request that all others declined is refused. */
  comeBackMs: 60_000,
  /** How long an answer waits for the history, or the turn, to be taken from a stream of its own. */
  replayWaitMs: 5_000,
  /** An answer that takes longer begins with white space, so that nobody on the way takes the silence for an end. Not
   * sooner than need be: a client that is slow to read it would read the answer with it, before its stream. */
  plainAnswerMs: 5_000,
} as const

export type AcpLimits = { -readonly [K in keyof typeof acpLimits]: number }
