import { cpSync, rmSync } from "node:fs"
import type { EventType } from "@sandbox-agent/schema/event"
import type { CreateSession } from "@sandbox-agent/schema/session"
import type { Logger } from "../../src/core/context.ts"
import { Core, daemonIdOf } from "../../src/core/core.ts"
import { createSession } from "../../src/core/creation.ts"
import type { Deadlines } from "../../src/core/deadline.ts"
import type { LineOutcome } from "../../src/core/driver-sink.ts"
import { post } from "../../src/core/post.ts"
import type { Session } from "../../src/core/session.ts"
import { Rows } from "../../src/store/rows.ts"
import { Store } from "../../src/store/store.ts"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { CoreLog } from "../harness/core-log.ts"
import { scratch } from "../harness/daemon.ts"
import { type Behaviour, Puppet } from "./puppet.ts"

export interface StageOptions {
  behaviour?: Behaviour
  deadlines?: Partial<Deadlines>
  idleStopMs?: number
  create?: Partial<CreateSession>
  log?: Logger
  /** `sqlite`: in files, so that there may be a daemon after this one. */
  kind?: "memory" | "sqlite"
}

/** A real core on a memory store with one session of a puppet. `await using stage = await setStage()`. */
export class Stage extends CoreLog implements AsyncDisposable {
  constructor(
    readonly core: Core,
    readonly puppet: Puppet,
    readonly session: Session,
    readonly healthy: boolean,
    private readonly directory: string,
    private readonly options: StageOptions = {},
  ) {
    super()
  }

  /** The next daemon after a kill at this moment: what was on disk by now. This one lives on beside it, unnoticed. */
  afterKill(behaviour = this.options.behaviour): Stage {
    this.core.context.store.flush()
    const directory = scratch()
    cpSync(this.directory, directory, { recursive: true })
    const { core, puppet } = coreOn(directory, { ...this.options, behaviour })
    core.recover()
    return new Stage(core, puppet, core.sessions.get(this.session.record.id), true, directory, this.options)
  }

  get sink() {
    return this.puppet.sink
  }

  types(s = this.session): EventType[] {
    return this.events(s).map((event) => event.type)
  }

  post(message: string, more: { messageId?: string; delivery?: "queue" | "steer" } = {}) {
    return post(this.session, { message, ...more })
  }

  /** A message that the agent has taken: its turn runs. */
  async running(message = "go"): Promise<string> {
    const sent = this.puppet.asked.filter(({ call }) => call === "send").length
    const { messageId } = await this.post(message)
    await this.puppet.until("send", sent + 1)
    this.say(() => this.sink.taken(messageId))
    return messageId
  }

  /** From now on. */
  wait(deadlines: Partial<Deadlines>): void {
    Object.assign(this.core.context.deadlines, deadlines)
  }

  /** As one native line. */
  say(what: () => LineOutcome, line = '{"native":"line"}'): void {
    this.sink.line(line, what)
  }

  fault(kind: string): number {
    return this.core.context.faults.get(kind) ?? 0
  }

  get faults(): Record<string, number> {
    return Object.fromEntries(this.core.context.faults)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.core.stop()
    await this.core.context.supervisor.stopAll()
    this.core.context.store.close()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

export async function setStage(options: StageOptions = {}): Promise<Stage> {
  const directory = scratch()
  const { core, puppet } = coreOn(directory, options)
  const { session, healthy } = await createSession(core.sessions, "one", { agent: "puppet", ...options.create })
  return new Stage(core, puppet, session, healthy, directory, options)
}

function coreOn(directory: string, options: StageOptions): { core: Core; puppet: Puppet } {
  const store = new Store({ kind: options.kind ?? "memory", directory })
  const rows = new Rows(store.db)
  const log = options.log ?? (() => {})
  const puppet = new Puppet(options.behaviour)
  const core = new Core({
    store,
    rows,
    log,
    directory,
    drivers: new Map([[puppet.agent, puppet]]),
    supervisor: createSupervisor({ daemonId: daemonIdOf(rows), log }),
    defaultDirectory: directory,
    idleStopMs: options.idleStopMs ?? 600_000,
    retention: {},
    deadlines: options.deadlines,
  })
  return { core, puppet }
}
