/** Something that serves: the daemon, the same with a generic ACP agent, the floor or the peer. */
export interface Target {
  name: "ours" | "generic" | "floor" | "peer"
  /** Started with a port of its own choice, ready to answer. */
  start(): Promise<Running>
  /** The command that serves on this port, for those who time the start. */
  command(port: number, directory: string): { command: string[]; env: Record<string, string> }
}

export interface Running {
  pid: number
  port: number
  token?: string
  /** The agent its sessions have; `mock` where it is not said. */
  agent?: string
  /** A session with a warm agent. */
  openSession(id: string): Promise<Session>
  stop(): Promise<void>
}

export interface Session {
  /** The path of its stream after `from`. */
  eventsPath(from: number): string
  lastSequence(): Promise<number>
  /** Resolves when the message is accepted (ours, floor) or on its way (peer, which answers at the end of the turn). */
  send(message: string): Promise<void>
  /** Sends and resolves when the turn has ended well; the floor has no such thing. */
  turn?(message: string): Promise<void>
  /** Bytes in the last event of a turn. */
  marker: string
}
