import { readFileSync } from "node:fs"
import { type Intervals, intervals } from "@sandbox-agent/schema/intervals"
import { cancelTurn } from "../../../src/core/cancel.ts"
import type { Ask, Verdict } from "../../../src/drivers/amp/ask.ts"
import { createAmpDriver } from "../../../src/drivers/amp/driver.ts"
import { RecordedProcess, recordedLines } from "../recorded-process.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

interface Block {
  type: string
  id?: string
  name?: string
  input?: object
  tool_use_id?: string
  is_error?: boolean
}

interface Native {
  type?: string
  message?: { role?: string; content: Block[] }
  argv?: string[]
  note?: string
  exit?: number | null
  signal?: string | null
  NOTJSON?: string
}

export interface RecordedLine {
  dir: "meta" | "in" | "out" | "stderr"
  msg: Native & string
}

export const recorded = (name: string): RecordedLine[] => recordedLines("amp", name)

/** A session of the driver whose process says what a test has it say. */
class Replayed extends DriverStage {
  constructor(readonly process: RecordedProcess<Native>) {
    const program = { installed: true, credentials: "available" as const, command: ["amp"] }
    super(createAmpDriver({ programs: alwaysThere(program), self: ["/bin/false"] }), () => process.supervisor)
  }
}

export async function start(waits: Partial<Intervals> = {}) {
  const process = new RecordedProcess<Native>()
  const stage = new Replayed(process)
  Object.assign(stage.core.context, { intervals: { ...intervals, ...waits } })
  const session = await stage.create("replayed", { agent: "amp", permissionMode: "bypass" })
  return { stage, process, session }
}

/** Plays a transcript through driver and core: what the host of then did, the core does now. */
export async function replay(lines: RecordedLine[], asks = true): Promise<Replayed> {
  const { stage, process, session } = await start()
  const say = async (text: string) => {
    await stage.post(text)
    if (session.turn !== undefined && session.sending !== undefined) await process.until(({ type }) => type === "user")
  }
  const refused = new Set(
    lines.flatMap(({ msg }) => (msg.message?.content ?? []).flatMap((one) => (one.is_error ? one.tool_use_id : []))),
  )
  let stderr = ""
  if (!lines.some(({ dir }) => dir === "in")) await say(lines[0]?.msg.argv?.at(2) ?? "")
  for (const { dir, msg } of lines) {
    if (dir === "in") await say(JSON.stringify(msg))
    if (dir === "stderr") stderr += msg
    if (dir === "out") process.say(msg.NOTJSON ?? msg)
    await stage.unheld()
    if (asks && dir === "out" && msg.type === "assistant")
      for (const { type, id = "", name = "", input = {} } of msg.message?.content ?? [])
        if (type === "tool_use" && !refused.has(id)) await asked(process, { tool: name, call: id, input: { ...input } })
    if (msg.note?.startsWith("host sends SIG")) void cancelTurn(session, {})
    if (dir === "meta" && msg.exit !== undefined)
      process.options?.onExit({
        code: msg.exit ?? undefined,
        signal: msg.signal ?? undefined,
        stderr: { head: stderr, truncated: false },
      })
    await Bun.sleep(0)
  }
  return stage
}

/** What Amp's delegate would ask, of a core that allows everything. */
export async function asked({ options }: RecordedProcess<Native>, ask: Ask): Promise<Verdict> {
  const words = options?.command ?? []
  const settings = JSON.parse(readFileSync(words[words.indexOf("--settings-file") + 1] ?? "", "utf8"))
  const rules = settings["amp.permissions"] as { tool: string; action: string; to?: string }[]
  const rule = rules.find(({ tool }) => tool === ask.tool || tool === "*")
  if (rule?.action === "allow") return { allow: true }
  const unix = /(\S+\.sock)$/m.exec(readFileSync(rule?.to ?? "", "utf8"))?.[1] ?? ""
  return askAt(unix, ask)
}

/** Asks at a socket as the delegate does. */
export async function askAt(unix: string, ask: Ask | string): Promise<Verdict> {
  const heard = Promise.withResolvers<Verdict>()
  const bytes = Buffer.from(typeof ask === "string" ? ask : `${JSON.stringify(ask)}\n`)
  let sent = 0
  await Bun.connect({
    unix,
    socket: {
      open: (socket) => {
        sent = socket.write(bytes)
      },
      drain: (socket) => {
        sent += socket.write(bytes.subarray(sent))
      },
      data: (_, answer) => heard.resolve(JSON.parse(answer.toString()) as Verdict),
      close: () => heard.reject(new Error("the socket was closed")),
    },
  })
  return heard.promise
}
