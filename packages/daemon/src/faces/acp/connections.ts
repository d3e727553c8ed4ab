import { randomUUID } from "node:crypto"
import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { ConnRow } from "../../store/acp-rows.ts"
import { isCorrupt } from "../../store/damage.ts"
import type { AcpStore } from "./acp.ts"
import { Connection, type ConnectionDoc, type Dialect } from "./connection.ts"
import type { Traits } from "./projection/traits.ts"
import { errorAnswer } from "./rpc.ts"

/** How often a connection's last sign of life is written down. */
const SEEN_MS = 60_000

/** All connections of this daemon. Loaded on first touch, forgotten in memory when nobody is there. */
export class Connections {
  readonly #live = new Map<string, Connection>()
  readonly rows: AcpStore["rows"]
  /** Told when a client comes, says something or leaves: there will be something to tidy up. */
  onUsed: (() => void) | undefined
  #nextUid: number

  constructor(
    readonly acp: AcpStore,
    /** Told the time, so that a test can let a day pass. */
    readonly now: () => number = Date.now,
  ) {
    this.rows = acp.rows
    this.#nextUid = acp.rows.maxConn() + 1
  }

  open(
    dialect: Dialect,
    path: string,
    agent: string | undefined,
    traits: Traits,
    id: string = randomUUID(),
  ): Connection {
    const now = this.now()
    const doc: ConnectionDoc = { dialect, path, agent, traits, createdAt: now, startPos: this.#store.nextPos }
    const stored = { first: 1, last: 0, attachments: [], seen: now, saved: false, calls: 0 }
    if (dialect === "official") this.#makeRoomForNew()
    this.#makeRoom()
    const connection = new Connection(this.acp, this.#nextUid++, id, doc, stored)
    this.#live.set(id, connection)
    this.onUsed?.()
    return connection
  }

  /** Those in memory; one with an open stream is among them. */
  get live(): Iterable<Connection> {
    return this.#live.values()
  }

  /** By the id its client was given. */
  get(id: string): Connection | undefined {
    const live = this.#live.get(id)
    if (live !== undefined) return live
    const row = this.rows.conn(id)
    if (row === undefined || this.#expired(row)) return undefined
    return this.#load(row)
  }

  /** The client is there: its connection is kept for another day. */
  touch(connection: Connection): void {
    const now = this.now()
    const due = now - connection.seen > SEEN_MS
    connection.seen = now
    this.onUsed?.()
    if (!connection.saved) connection.save()
    else if (due) this.#store.write(() => this.rows.seen(connection.uid, now))
  }

  list(prefix: string): Connection[] {
    const rows = this.rows.upToDate.conns().filter((row) => row.id.startsWith(prefix) && !this.#expired(row))
    return rows.map((row) => this.#live.get(row.id) ?? this.#load(row))
  }

  /** Ends the attachment of a client. Sessions and their turns go on. */
  remove(connection: Connection): void {
    connection.close()
    this.#live.delete(connection.id)
    this.#store.write(() => this.rows.removeConn(connection.uid))
    connection.log.first = connection.log.last + 1
  }

  /** Calls that the last daemon left unanswered, and sockets that ended with it. */
  recover(): void {
    for (const row of this.rows.conns()) {
      const dialect = dialectOf(row)
      // One that is damaged cannot be served: its client has to initialize again.
      if (dialect === undefined) this.#store.write(() => this.rows.removeConn(row.uid))
      else if (dialect === "socket" || this.#expired(row)) this.remove(this.#load(row))
    }
    const byUid = new Map(this.rows.upToDate.conns().map((row) => [row.uid, row]))
    for (const { conn, ...call } of this.rows.unanswered()) {
      const row = byUid.get(conn)
      this.#store.write(() => this.rows.removeCall(conn, call.n))
      if (row === undefined) continue
      const why = { code: "unavailable", hint: "Send the request again." }
      const envelope = errorAnswer(JSON.parse(call.id), -32603, "the daemon was restarted before it could answer", why)
      const connection = this.get(row.id)
      connection?.say({ to: call.session ?? undefined, call: call.n, envelope })
    }
    this.#store.flush()
  }

  /** Forgets clients that did not come back, and what they would no longer ask for. Tells when there will be more of it, if nobody comes or goes. */
  tidy(): number {
    // What the database lacks is known here alone.
    if (!this.#store.settle()) return SEEN_MS
    for (const row of this.rows.conns())
      if (this.#expired(row) && (this.#live.get(row.id)?.feeds.size ?? 0) === 0)
        this.remove(this.#live.get(row.id) ?? this.#load(row))
    for (const [id, connection] of this.#live) {
      const { log, feeds } = connection
      if (log.last - log.first >= acpLimits.keptMessages)
        this.#store.write(() => {
          log.first = this.rows.cutLog(connection.uid, log.last - acpLimits.keptMessages + 1)
        })
      if (feeds.size > 0) continue
      log.dropTail()
      const idle = this.now() - connection.seen > SEEN_MS
      if (connection.saved && idle && connection.busy === 0) this.#live.delete(id)
      else if (!connection.saved && this.now() - connection.seen > acpLimits.connectionMs) this.#live.delete(id)
    }
    return this.#tidyDueMs()
  }

  /** Of those whose stream is open nothing is due. */
  #tidyDueMs(): number {
    const leaves = (connection: Connection) => connection.feeds.size === 0
    if ([...this.#live.values()].some((connection) => connection.saved && leaves(connection))) return SEEN_MS
    const seen = [
      ...this.rows.upToDate.conns().filter(({ id }) => !this.#live.has(id)),
      ...[...this.#live.values()].filter(leaves),
    ].map((one) => one.seen)
    return Math.max(SEEN_MS, Math.min(...seen) + acpLimits.connectionMs - this.now())
  }

  closeAll(): void {
    for (const connection of this.#live.values()) connection.log.close()
  }

  get #store() {
    return this.acp.store
  }

  #expired({ id, seen }: ConnRow): boolean {
    const known = this.#live.get(id)?.seen ?? seen
    return this.now() - known > acpLimits.connectionMs
  }

  #load(row: ConnRow): Connection {
    const rows = this.rows.upToDate
    const connection = new Connection(this.acp, row.uid, row.id, JSON.parse(row.doc), {
      ...rows.logBounds(row.uid),
      attachments: rows.attachments(row.uid),
      seen: row.seen,
      saved: true,
      calls: rows.maxCall(row.uid),
    })
    this.#live.set(row.id, connection)
    return connection
  }

  /**
   * A client that has just begun is given time to go on: while there are too many of those the next one is refused, and
   * can come again. One that does not go on makes room, and so does one that counts among those without headers.
   */
  #makeRoomForNew(): void {
    const begun = [...this.#live.values()].filter(({ saved, doc }) => !saved && doc.dialect === "official")
    if (begun.length < acpLimits.unclaimed) return
    const now = this.now()
    const free = begun.find(({ counted, seen }) => counted || now - seen >= acpLimits.unclaimedMs)
    if (free === undefined)
      throw new SandboxAgentError("too_many_requests", `${acpLimits.unclaimed} clients have begun and not gone on`, {
        limit: acpLimits.unclaimed,
        retryAfterSeconds: Math.ceil(acpLimits.unclaimedMs / 1_000),
        hint: "Initialize again a little later.",
      })
    this.#live.delete(free.id)
  }

  /**
   * Those unheard of for longest go first, of these first who has all its answers; never one with
   * an open stream, nor one whose call is still to be answered.
   */
  #makeRoom(): void {
    if (this.rows.connCount() < acpLimits.connections) return
    const free = this.rows.upToDate
      .connsByDebt()
      .find(({ id, owed }) => owed < 2 && (this.#live.get(id)?.feeds.size ?? 0) === 0 && !this.#live.get(id)?.busy)
    if (free === undefined)
      throw new SandboxAgentError("too_many_requests", `${acpLimits.connections} clients are connected already`, {
        limit: acpLimits.connections,
      })
    this.remove(this.#live.get(free.id) ?? this.#load(free))
  }
}

function dialectOf({ doc }: ConnRow): Dialect | undefined {
  try {
    return (JSON.parse(doc) as ConnectionDoc).dialect
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return undefined
  }
}

/** Where clients name their connection in the path. */
export const SERVERS = "/v1/acp"

/** One connection per path, whoever speaks there: without headers nothing tells its clients apart. */
export const headerlessId = (path: string): string => `headerless ${path}`

export const serverConnections = (connections: Connections) =>
  connections.list(headerlessId(`${SERVERS}/`)).map(({ doc }) => ({
    serverId: doc.path.slice(SERVERS.length + 1),
    agent: doc.agent,
    createdAtMs: doc.createdAt,
  }))
