import type { AgentUser } from "../core/agent-user.ts"
import type { AgentProcess } from "../core/client.ts"
import { holdsSocket, SocketHolders } from "./socket-holders.ts"
import { listeningRows } from "./tcp-rows.ts"

/** A port that a program of ours listens on. */
export interface OwnedListener {
  port: number
  address: string
  owner: string
}

/** Finds which of our programs listen on which ports, by the kernel's tables. Linux alone. */
export class Listeners {
  readonly #sockets = new SocketHolders()
  /** Whose each listening socket is, by its inode; undefined: none of ours. */
  readonly #known = new Map<string, string | undefined>()

  constructor(
    private readonly programs: { agentProcess(pid: number): AgentProcess | undefined },
    private readonly agentUser?: Pick<AgentUser, "run">,
  ) {}

  async list(): Promise<OwnedListener[]> {
    const rows = await listeningRows()
    const open = new Set(rows.map(({ inode }) => inode))
    for (const inode of this.#known.keys()) if (!open.has(inode)) this.#known.delete(inode)
    await Promise.all(rows.map(({ inode }) => this.#learn(inode)))
    return rows.flatMap(({ inode, port, address }) => {
      const owner = this.#known.get(inode)
      return owner === undefined ? [] : [{ port, address, owner }]
    })
  }

  async #learn(inode: string): Promise<void> {
    if (this.#known.has(inode)) return
    const { holders, closed } = await this.#sockets.of(inode)
    const { agentUser } = this
    // In a container root may not see the files of another user; with that user's rights it does.
    const seen = agentUser === undefined ? [] : closed.filter((pid) => agentUser.run(() => holdsSocket(pid, inode)))
    const owners = [...holders, ...seen].map((pid) => this.programs.agentProcess(pid)?.owner)
    this.#known.set(
      inode,
      owners.find((owner) => owner !== undefined),
    )
  }
}
