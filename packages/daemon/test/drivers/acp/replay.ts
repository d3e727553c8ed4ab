import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createSession } from "../../../src/core/creation.ts"
import type { Exit } from "../../../src/core/driver.ts"
import { closeProcess } from "../../../src/core/process.ts"
import type { Child, SpawnOptions, Supervisor } from "../../../src/core/supervisor.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

interface Message {
  id?: number | string
  method?: string
  params?: { sessionId?: string; prompt?: { text?: string }[] }
  result?: { outcome?: { optionId?: string }; action?: string; content?: Record<string, string | string[]> }
  error?: object
}

export interface RecordedLine {
  dir: "client>agent" | "agent>client"
  msg: Message
}

const folder = fileURLToPath(new URL("../../fixtures/acp/", import.meta.url))

export const recorded = (name: string): RecordedLine[] =>
  readFileSync(`${folder}${name}.jsonl`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RecordedLine)

/** Stands where the process was: what the driver writes is kept, what the process said is said again. */
class RecordedProcess {
  readonly written: Message[] = []
  options: SpawnOptions | undefined
  #wake: (() => void)[] = []

  readonly supervisor: Supervisor = {
    spawn: (options) => {
      this.options = options
      return this.#child()
    },
    killOwner: async () => {},
    stopAll: async () => {},
  }

  say(line: object): void {
    this.options?.onLine(JSON.stringify(line))
  }

  async until(fits: (line: Message) => boolean): Promise<Message> {
    while (true) {
      const found = this.written.find(fits)
      if (found !== undefined) {
        this.written.splice(this.written.indexOf(found), 1)
        return found
      }
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }

  #child(): Child {
    const exited = Promise.withResolvers<Exit>()
    const end = async () => {
      exited.resolve({ code: 0 })
      return { code: 0 }
    }
    return {
      pid: 1,
      startedAt: 0,
      alive: true,
      write: async (line) => {
        this.written.push(JSON.parse(line) as Message)
        for (const wake of this.#wake.splice(0)) wake()
      },
      signal: () => {},
      endInput: () => {},
      stop: end,
      kill: end,
      exited: exited.promise,
      rssBytes: () => undefined,
    }
  }
}

const program = { installed: true, credentialsAvailable: true, command: ["recorded"] }

/** Plays a transcript through driver and core: what the client of then did, the core does now. */
export async function replay(lines: RecordedLine[]) {
  const process = new RecordedProcess()
  const agent = { id: "recorded", name: "Recorded", args: [], env: {}, traits: {} }
  const driver = createAcpDriver({ agent, programs: alwaysThere(program) })
  const stage = new DriverStage(driver, () => process.supervisor)
  /** Ids of requests then and now; what has no counterpart is answered to nobody. */
  const ids = new Map<unknown, unknown>()
  const created = createSession(stage.core.sessions, "replayed", { agent: "recorded" })
  let opened = false
  const open = async () => {
    if (opened) return
    opened = true
    stage.keep((await created).session)
  }
  for (const { dir, msg } of lines) {
    if (dir === "agent>client") {
      const answers = msg.method === undefined
      process.say(answers ? { ...msg, id: ids.get(msg.id) ?? "nobody" } : msg)
      continue
    }
    if (msg.method === undefined) {
      await open()
      await answer(stage, process, msg)
    } else if (msg.method === "initialize" || msg.method === "session/new") {
      const sent = await process.until(({ method }) => method === msg.method)
      ids.set(msg.id, sent.id)
    } else if (msg.method === "session/prompt" && msg.params?.sessionId !== "does-not-exist") {
      await open()
      await stage.post(msg.params?.prompt?.map(({ text }) => text).join("") ?? "")
      ids.set(msg.id, (await process.until(({ method }) => method === msg.method)).id)
    } else if (msg.method === "session/load") break
  }
  const { error } = await created
  await open()
  await closeProcess(stage.session)
  return { stage, error }
}

/** Answers the request that the client answered then, in the same sense. */
async function answer(stage: DriverStage, process: RecordedProcess, { id, result }: Message): Promise<void> {
  const open = [...stage.session.requests.values()].find(({ native }) => native.key === `rpc:${JSON.stringify(id)}`)
  if (open === undefined) return
  if (open.native.type === "permission") {
    const { options } = (open.native.metadata ?? {}) as { options: { optionId: string; kind: string }[] }
    const chosen = options.find(({ optionId }) => optionId === result?.outcome?.optionId)
    await stage.reply(open.id, chosen?.kind.startsWith("allow") ? "once" : "reject")
  } else {
    const given = result?.content ?? {}
    const answers = open.native.questions.map(({ id: key }) => [given[key] ?? []].flat())
    await stage.answer(open.id, answers)
  }
  await process.until((written) => written.id === id && written.method === undefined)
}
