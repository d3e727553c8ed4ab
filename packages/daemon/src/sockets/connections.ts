import { readlinkSync } from "node:fs"
import { networkInterfaces } from "node:os"
import type { AgentUser } from "../core/agent-user.ts"
import type { AgentProcess } from "../core/client.ts"
import { readProc } from "../supervisor/proc.ts"
import { type Holders, holdsSocket, SocketHolders } from "./socket-holders.ts"
import { isLoopback, type TcpRow, rowsTo as tcpRowsTo } from "./tcp-rows.ts"

/** Where a connection comes from. */
export interface Remote {
  address: string
  port: number
}

/** It cannot be told who is behind a connection, and nobody but a process of this machine can be. */
const unseen: AgentProcess = { pid: undefined }
/** The same, for good: it is not known where it comes from. */
const left: AgentProcess = { pid: undefined }

/** The kernel gives its tables in pieces: while connections come and go, one that is there can be passed over. */
const LOOKS = 5

/** Finds the process behind a connection to this daemon, by the kernel's tables: what a client says of itself proves nothing. */
export class Connections {
  /** By the inode of the client's socket, which names one connection for good. */
  readonly #known = new Map<string, AgentProcess | undefined>()

  constructor(
    private readonly agents: {
      /** Whether there was ever an agent. */
      readonly started: boolean
      agentProcess(pid: number): AgentProcess | undefined
    },
    private readonly port: () => number,
    /** Whom agents run as, where it is not our user. */
    private readonly agentUser?: Pick<AgentUser, "uid" | "run">,
    private readonly rowsTo = tcpRowsTo,
  ) {}

  /** The process of an agent at the other end; undefined: another's, or one of another machine. Linux alone. */
  async agentBehind(remote: Remote | undefined): Promise<AgentProcess | undefined> {
    if (!this.agents.started) return undefined
    let agent = await this.#look(remote)
    for (let looks = 1; agent === unseen && looks < LOOKS; looks++) agent = await this.#look(remote)
    return agent
  }

  async #look(remote: Remote | undefined): Promise<AgentProcess | undefined> {
    const rows = await this.rowsTo(this.port())
    if (rows === undefined) return undefined
    if (remote === undefined) return left
    const row = rows.find((one) => one.isFrom(remote))
    if (row === undefined || row.inode === "0") return isOurs(remote.address) ? unseen : undefined
    this.#forget(rows)
    if (this.#known.has(row.inode)) return this.#known.get(row.inode)
    const agent = await this.#behind(row)
    if (agent !== unseen) this.#known.set(row.inode, agent)
    return agent
  }

  #forget(rows: readonly TcpRow[]): void {
    const open = new Set(rows.map(({ inode }) => inode))
    for (const inode of this.#known.keys()) if (!open.has(inode)) this.#known.delete(inode)
  }

  /**
   * Whoever holds the socket: if one of them is an agent's, it is an agent's connection. Where nobody is seen to hold it,
   * it is one of those whose files are closed to us (`sshd`, for one), unless there is none or an agent is among them.
   */
  async #behind({ inode, uid }: TcpRow): Promise<AgentProcess | undefined> {
    const { holders, closed } = await holdersOf(inode, uid)
    const agentAmong = (pids: readonly number[]) =>
      pids.map((pid) => this.agents.agentProcess(pid)).find((agent) => agent !== undefined)
    const agentUser = uid === this.agentUser?.uid ? this.agentUser : undefined
    if (agentUser !== undefined) {
      // In a container root may kill processes of another user and not see their files; with that user's rights it does.
      const seen = closed.filter((pid) => agentUser.run(() => holdsSocket(pid, inode)))
      return agentAmong([...holders, ...seen]) ?? unseen // nobody else is to run as that user
    }
    if (holders.length > 0) return agentAmong(holders)
    const agent = agentAmong(closed)
    if (agent !== undefined || closed.length > 0) return agent
    // Held by nobody that we see. An agent of our user could hide so; where we do not see every process, it is rather one
    // of another container that shares our network.
    const couldBe = this.agentUser === undefined && uid === process.geteuid?.()
    return couldBe && seesAll() ? unseen : undefined
  }
}

/** An address of this machine; at others there are no processes of ours. */
function isOurs(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "")
  return (
    isLoopback(plain) || Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === plain))
  )
}

/** The first pid namespace has this number on every Linux: in it all processes are seen. */
const first = "pid:[4026531836]"
const seesAll = (): boolean => readlinkSync("/proc/self/ns/pid") === first

const sockets = new SocketHolders()

/** The processes that have a socket open, and those of its user whose open files we may not see; init is nobody's client. */
async function holdersOf(inode: string, uid: number): Promise<Holders> {
  const { holders, closed } = await sockets.of(inode)
  return { holders, closed: closed.filter((pid) => pid !== 1 && isOfUser(pid, uid)) }
}

/** Under any of its ids. */
function isOfUser(pid: number, uid: number): boolean {
  const ids = /^Uid:\s+(.+)$/m.exec(readProc(`${pid}/status`) ?? "")?.[1] ?? ""
  return ids.split(/\s+/).includes(String(uid))
}
