import { createSession } from "../../../src/core/creation.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { RecordedProcess, recordedLines } from "../recorded-process.ts"
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

export const recorded = (name: string): RecordedLine[] => recordedLines("acp", name)

const program = { installed: true, credentials: "available" as const, command: ["recorded"] }

/** Plays a transcript through driver and core: what the client of then did, the core does now. */
export async function replay(lines: RecordedLine[]) {
  const process = new RecordedProcess<Message>()
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
  // Recordings end before that; one that is asked and says nothing is waited for.
  void process.until(({ method }) => method === "session/close").then(({ id }) => process.say({ id, result: {} }))
  await closeProcess(stage.session)
  return { stage, error }
}

/** Answers the request that the client answered then, in the same sense. */
async function answer(stage: DriverStage, process: RecordedProcess<Message>, { id, result }: Message): Promise<void> {
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
