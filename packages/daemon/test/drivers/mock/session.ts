import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterFile } from "@sandbox-agent/test-agents/after-file"
import { onTestFinished } from "vitest"
import type { Host, Native, OpenFrom, OutMessage, Settings } from "../../../src/core/driver.ts"
import { createMockDriver } from "../../../src/drivers/mock/driver.ts"
import { createSupervisor, type ListingSupervisor } from "../../../src/supervisor/supervisor.ts"
import { foldersAt } from "../folders.ts"
import { checkItems, foldItems, type SeenItem } from "./items.ts"
import { type Call, Recorder } from "./recorder.ts"

export const program = join(import.meta.dirname, "../../../src/drivers/mock/agent/main.ts")
export const launcher = [process.execPath, "--no-env-file", program]
export const driver = createMockDriver({ launcher, version: "1.2.3" })

let supervisor: ListingSupervisor | undefined

/** One for a file; it ends what that has started. */
function supervisorOfFile(): ListingSupervisor {
  if (supervisor !== undefined) return supervisor
  const made = createSupervisor({ daemonId: `test-${process.pid}`, log: () => undefined })
  afterFile(async () => {
    supervisor = undefined
    await made.stopAll()
  })
  supervisor = made
  return made
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mock-agent-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface SessionOptions {
  home?: string
  directory?: string
  from?: OpenFrom
  env?: Record<string, string>
  settings?: Partial<Settings>
}

export function hostAt(home: string): Host {
  const supervisor = supervisorOfFile()
  return {
    ...foldersAt(home),
    supervisor,
    environment: (given) => supervisor.environment("mock", given),
    restarted: () => undefined,
    log: () => undefined,
  }
}

/** A conversation with the real agent program, under the real supervisor. */
export class TestSession {
  private messages = 0

  constructor(
    readonly native: Native,
    readonly recorder: Recorder,
    readonly home: string,
    readonly directory: string,
  ) {}

  message(text: string, attachments: OutMessage["attachments"] = []): OutMessage {
    this.messages += 1
    return { id: `m${this.messages}`, text, attachments }
  }

  /** Sends a message; gives the index its calls begin at. */
  async start(text: string, attachments: OutMessage["attachments"] = []): Promise<number> {
    const from = this.recorder.calls.length
    await this.native.send(this.message(text, attachments))
    return from
  }

  /** Waits for the end of the turn that began at an index. */
  async finish(from: number): Promise<TurnSeen> {
    const [end] = await this.recorder.until("turnEnded", undefined, from)
    const calls = this.recorder.calls.slice(from)
    const items = foldItems(calls)
    checkItems(items)
    return { end, calls, items }
  }

  async run(text: string, attachments: OutMessage["attachments"] = []): Promise<TurnSeen> {
    return this.finish(await this.start(text, attachments))
  }
}

export interface TurnSeen {
  end: Parameters<Recorder["sink"]["turnEnded"]>[0]
  calls: Call[]
  items: SeenItem[]
}

export async function openSession(options: SessionOptions = {}): Promise<TestSession> {
  const home = options.home ?? temporaryFolder()
  const directory = options.directory ?? temporaryFolder()
  const recorder = new Recorder()
  const native = await driver.open(
    {
      from: options.from ?? { kind: "new" },
      sessionId: "test-session",
      owner: "session:test-session",
      directory,
      env: options.env ?? {},
      // What is tried is what it does; that it asks first has tests of its own.
      settings: { agentMode: "build", permissionMode: "bypass", ...options.settings },
      signal: new AbortController().signal,
    },
    recorder.sink,
    hostAt(home),
  )
  onTestFinished(() => native.kill())
  return new TestSession(native, recorder, home, directory)
}
