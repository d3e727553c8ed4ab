import { unlessAborted, withDeadline } from "../../core/deadline.ts"
import type { Host } from "../../core/driver.ts"
import type { Exit } from "../../core/driver-sink.ts"
import { type Launcher, programIdentity, sharingKey, sortedVariables } from "../shared/launcher.ts"
import { openMsOf } from "../shared/open-ms.ts"
import { type Lease, Pool, type PoolMember, type PoolOptions, type ServerHooks, type Shared } from "../shared/pool.ts"
import type { AcpAgent } from "./agent.ts"
import { type Abilities, initialize } from "./initialize.ts"
import { AcpProcess, type Attached } from "./process.ts"

/** A process that answers, and how one session leaves it. */
export interface ProcessLease {
  readonly process: AcpProcess
  readonly abilities: Abilities
  /** Others go on using it. */
  readonly shared: boolean
  /** Nobody else gets it. */
  retire(): void
  /** It finished a turn. */
  proven(): void
  leave(): Promise<void>
  kill(): Promise<void>
}

class Server implements Shared {
  constructor(
    readonly process: AcpProcess,
    readonly abilities: Abilities,
  ) {}

  get said(): number {
    return this.process.said
  }

  /** A method that no agent has: the protocol wants that said. */
  async ask(): Promise<void> {
    await this.process.request("_sandboxagent/ping", {})
  }

  async stop(): Promise<void> {
    await this.process.child.stop()
  }
}

/** Processes of agents: one for each session, or one for all that have the same program, environment and the like. */
export class Servers {
  /** It turned out that this agent cannot hold several sessions. */
  holdsOne = false
  readonly #pool: Pool<Server>

  constructor(
    private readonly agent: AcpAgent,
    options: PoolOptions = {},
  ) {
    this.#pool = new Pool(options)
  }

  /** For one session alone. */
  async startDedicated(
    launcher: Launcher,
    directory: string,
    owner: string,
    host: Host,
    session: Attached | undefined,
    lost: (exit: Exit) => void,
  ): Promise<ProcessLease> {
    const { agent } = this
    const process = new AcpProcess({ agent, launcher, directory, owner, host, sole: session, onExit: lost })
    host.awaits?.("its answer to initialize")
    const abilities = await withDeadline(
      initialize(process, agent, session),
      openMsOf(host),
      `${agent.id} did not start`,
    )
      // Not every owner is a session that the core clears away.
      .catch(async (error: unknown) => {
        await process.child.kill()
        throw error
      })
    return {
      process,
      abilities,
      shared: false,
      retire: () => {},
      proven: () => {},
      leave: async () => void (await process.child.stop()),
      kill: async () => void (await process.child.kill()),
    }
  }

  /** `common`: what sessions of one process must have in common beside program and environment. */
  async lease(
    launcher: Launcher,
    { directory, common }: { directory: string; common: readonly unknown[] },
    host: Host,
    member: PoolMember,
    signal: AbortSignal,
  ): Promise<ProcessLease> {
    const variables = sortedVariables(host.environment(launcher.env))
    const key = sharingKey([programIdentity(launcher.command), variables, common])
    const start = async (hooks: ServerHooks) => {
      if (hooks.again) host.restarted()
      const process = new AcpProcess({
        agent: this.agent,
        launcher,
        directory,
        owner: `pool:${this.agent.id}:${key}`,
        host,
        gate: hooks.room,
        onExit: hooks.lost,
      })
      host.awaits?.("its answer to initialize")
      try {
        return new Server(process, await unlessAborted(initialize(process, this.agent), hooks.signal))
      } catch (error) {
        await process.child.kill()
        throw error
      }
    }
    host.awaits?.("the process that it shares with others")
    return processLease(await this.#pool.lease(key, member, start, { signal, startMs: openMsOf(host) }))
  }
}

function processLease(lease: Lease<Server>): ProcessLease {
  const { process, abilities } = lease.server
  return {
    process,
    abilities,
    shared: true,
    retire: () => lease.retire(),
    proven: () => lease.proven(),
    leave: async () => lease.release(),
    // Stuck for this one: nobody else gets it, and it ends with its last session.
    kill: async () => {
      lease.drain()
      lease.release()
    },
  }
}
