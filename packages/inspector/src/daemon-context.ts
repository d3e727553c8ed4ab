import { createContext, useContext } from "react"
import type { Agent, SandboxAgentClient, Session } from "sandbox-agent"
import type { KnownDaemon } from "./connection/daemons.ts"
import { clientOf } from "./connection/daemons.ts"
import { SessionList } from "./sessions/session-list.ts"
import { Store } from "./store.ts"

/** One daemon that is looked at: its client, and what the page follows of it. */
export class DaemonView {
  readonly known: KnownDaemon
  readonly client: SandboxAgentClient
  readonly list: SessionList
  readonly agents = new Store<readonly Agent[] | undefined>(undefined)
  readonly #sessions = new Map<string, Session>()

  constructor(known: KnownDaemon) {
    this.known = known
    this.client = clientOf(known)
    this.list = new SessionList(this.client)
  }

  /** The same object for everybody who shows it, so that all share one stream. */
  session(id: string): Session {
    const session = this.#sessions.get(id) ?? this.client.session(id)
    // In the order they were last asked for: those of sessions left long ago are let go, with all they have loaded.
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    const oldest = this.#sessions.size > 4 ? this.#sessions.keys().next().value : undefined
    if (oldest !== undefined) this.#sessions.delete(oldest)
    return session
  }

  /** It is asked for anew when it is wanted again. */
  letGo(id: string): void {
    this.#sessions.get(id)?.close()
    this.#sessions.delete(id)
  }

  async loadAgents(): Promise<void> {
    this.agents.set((await this.client.listAgents()).agents)
  }

  close(): void {
    this.list.close()
    for (const session of this.#sessions.values()) session.close()
  }
}

export const DaemonContext = createContext<DaemonView | undefined>(undefined)

export function useDaemon(): DaemonView {
  const view = useContext(DaemonContext)
  if (view === undefined) throw new Error("There is no daemon here")
  return view
}
