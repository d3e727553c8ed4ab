import type { AgentUser } from "../../core/agent-user.ts"
import type { Logger } from "../../core/context.ts"
import type { ProgramStarter } from "../../core/supervisor.ts"
import type { Confinement } from "../../files/confinement.ts"
import type { Listener } from "./ports.ts"

/** What processes of clients need of the daemon. */
export interface ProcessHost {
  readonly starter: ProgramStarter
  /** Where their directories may be. */
  readonly files: Confinement
  /** Whom they run as, where that is another user than ours: what they run is code of agents as often as not. */
  readonly agentUser?: AgentUser | undefined
  readonly defaultDirectory: string
  /** Of a session; throws when there is none. */
  directoryOf(sessionId: string): string
  /** Where their logs are kept. */
  readonly folder: string
  /** Ports that programs of ours listen on; none where that cannot be seen. */
  listeners(): Promise<Listener[]>
  newId(): string
  readonly log: Logger
}
