import type { Context } from "./context.ts"

/** Another user than the daemon's, whom agents run as. */
export interface AgentUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
  /** All that agents need of us is below this folder; the data directory is closed to them. */
  readonly directory: string
  /** File work as this user; over when it returns. */
  run<T>(work: () => T): T
  /** Lets it read a file that we made below `directory`, and nobody else. It cannot put anything else in its place. */
  share(path: string): void
  /** Removes a folder of its own, with its rights. */
  remove(folder: string): Promise<void>
  /** Whether it can read a file, or enter and list a folder. */
  canRead(path: string): Promise<boolean>
}

/** Where the homes, programs and attachments of agents are. */
export const agentDataDirectory = ({ agentUser, directory }: Pick<Context, "agentUser" | "directory">): string =>
  agentUser?.directory ?? directory
