const KiB = 1024
const MiB = 1024 * KiB

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
