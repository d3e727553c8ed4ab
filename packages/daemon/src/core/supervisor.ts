import type { Exit } from "./driver-sink.ts"

/** Starts the children of the daemon and answers for all of them: whatever starts here is reaped, with all it started. */
export interface Supervisor {
  spawn(options: SpawnOptions): Child
  /** What a child of this agent would see, its process tag apart. */
  environment(agent: string, given: Readonly<Record<string, string>>): Record<string, string>
  /** Kills every child of one owner at once, also one that its driver has not handed over yet. */
  killOwner(owner: string): Promise<void>
  /** Ends every child within the grace period. */
  stopAll(): Promise<void>
}

export interface SpawnOptions {
  /** Whom the process serves, such as a session's uid; part of the tag of its descendants. */
  owner: string
  /** Whose declared variables it sees; without one only those that every child sees. */
  agent?: string
  /** Shown in logs and in the list of processes. */
  label: string
  command: string[]
  directory: string
  /** Runs as the daemon's own user, also where agents do not. */
  asDaemon?: true
  /** Laid over what it sees of the daemon's own environment. */
  env: Record<string, string>
  /** One line of stdout, without its end. */
  onLine(line: string): void
  /** A line over `limits.agentLineBytes` was passed over; `head` is its beginning. */
  onOversize?(head: string, bytes: number): void
  /** Once, after the last line, when the process is gone. */
  onExit(exit: Exit): void
  /** It speaks to us by its stdout alone: once that is closed it is of no use, and is ended. */
  endsWithOutput?: true
  /** While it returns a promise nothing is read from stdout. */
  gate?(): Promise<void> | undefined
}

export interface Child {
  readonly pid: number
  readonly startedAt: number
  readonly alive: boolean
  /** One line to stdin; resolves when the pipe has taken it, rejects when the process is gone. */
  write(line: string): Promise<void>
  /** Signals the child alone, for agents that read a signal as an interrupt. */
  signal(name: NodeJS.Signals): void
  endInput(): void
  /** End of input, SIGTERM to the group, grace, SIGKILL to the group, sweep of every process that still has the tag. */
  stop(options?: { politeMs?: number; graceMs?: number }): Promise<Exit>
  /** SIGKILL and sweep. */
  kill(): Promise<Exit>
  readonly exited: Promise<Exit>
  rssBytes(): number | undefined
}

/** How a program ended. */
export interface ProgramExit {
  code?: number | undefined
  signal?: string | undefined
}

/** `pty`: to its terminal, which does not tell the two apart. */
export type ProgramStream = "stdout" | "stderr" | "pty"

export interface TerminalSize {
  cols: number
  rows: number
}

/** A program that a client has started and no agent is. */
export interface ProgramOptions extends Pick<SpawnOptions, "owner" | "label" | "command" | "directory" | "env"> {
  /** It gets a terminal of this size in place of pipes. */
  terminal?: TerminalSize | undefined
  /** What it writes, as it comes. Bytes of a terminal are lent for the moment of the call. */
  onOutput(stream: ProgramStream, bytes: Uint8Array): void
  /** While it returns a promise nothing is read from that pipe. */
  gate?(stream: ProgramStream): Promise<void> | undefined
}

export interface Program {
  readonly pid: number
  readonly alive: boolean
  /** Resolves when its pipe has taken them, rejects when that cannot be any more. */
  write(bytes: Uint8Array): Promise<void>
  endInput(): void
  /** To its whole group; false when there is nobody left. */
  signal(name: NodeJS.Signals): boolean
  resize(size: TerminalSize): void
  /** Halts whoever writes to its terminal, or lets them go on. False where that cannot be done. */
  halt(halted: boolean): boolean
  /** End of input, or hang-up of its terminal; SIGTERM to the group, grace, SIGKILL to all it started. */
  stop(options?: { politeMs?: number; graceMs?: number }): Promise<ProgramExit>
  kill(): Promise<ProgramExit>
  /** After its last output. */
  readonly exited: Promise<ProgramExit>
}

/** The part of the supervisor that clients' programs are started by. */
export interface ProgramStarter {
  /** Of whom they run as. */
  readonly userShell: string
  startProgram(options: ProgramOptions): Program
}
