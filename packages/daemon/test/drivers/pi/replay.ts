import { cancelTurn } from "../../../src/core/cancel.ts"
import { createSession } from "../../../src/core/creation.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { createPiDriver } from "../../../src/drivers/pi/driver.ts"
import { RecordedProcess, recordedLines } from "../recorded-process.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

export interface Native {
  type?: string
  id?: string
  command?: string
  success?: boolean
  message?: string
  streamingBehavior?: string
  value?: string
  confirmed?: boolean
  data?: unknown
  exit?: number | null
  signal?: string | null
}

export interface RecordedLine {
  dir: "meta" | "in" | "out" | "stderr"
  msg: Native & string
}

export const recorded = (name: string): RecordedLine[] => recordedLines("pi", name)

const model = { id: "fake-1", provider: "fake", name: "Fake One", reasoning: true, contextWindow: 128_000 }

/** What it says when it is opened. */
const answers: Readonly<Record<string, object>> = {
  get_state: { model, thinkingLevel: "off", sessionId: "id", sessionFile: "/nonexistent/1_id.jsonl" },
  get_commands: { commands: [{ name: "hello", description: "Say hello", source: "extension" }] },
  get_available_models: { models: [model] },
  clear_queue: { steering: [], followUp: [] },
}

/** A process that answers by itself what a test does not want to. */
export class PiProcess extends RecordedProcess<Native> {
  protected override wrote(line: Native): void {
    const { type = "", id } = line
    super.wrote(line)
    const data = answers[type]
    if (data !== undefined) this.say({ id, type: "response", command: type, success: true, data })
  }
}

export async function start(permissionMode: "default" | "bypass" = "default") {
  const process = new PiProcess()
  const program = { installed: true, credentials: "available" as const, command: ["pi"] }
  const stage = new DriverStage(createPiDriver({ programs: alwaysThere(program) }), () => process.supervisor)
  const { session, error } = await createSession(stage.core.sessions, "replayed", { agent: "pi", permissionMode })
  if (error !== undefined) throw new Error(error.message)
  stage.keep(session)
  return { stage, process, session }
}

/** Plays a transcript through driver and core: what the host of then did, the core does now. */
export async function replay(lines: RecordedLine[]): Promise<DriverStage> {
  const { stage, process, session } = await start()
  /** Ids of commands, then and now. */
  const ids = new Map<string, string>()
  const issued = async (then: Native, type: string) => {
    const { id = "" } = await process.until((line) => line.type === type)
    ids.set(then.id ?? "", id)
  }
  let stderr = ""
  for (const { dir, msg } of lines) {
    if (dir === "stderr") stderr += msg
    if (dir === "out" && (msg.type !== "response" || ids.has(msg.id ?? "")))
      process.say({ ...(msg as Native), ...(msg.type === "response" && { id: ids.get(msg.id ?? "") }) })
    await stage.unheld()
    if (dir === "in") await act(stage, process, msg, issued)
    if (dir === "meta" && msg.exit !== undefined) {
      const exit = { code: msg.exit ?? undefined, signal: msg.signal ?? undefined }
      if (session.turn === undefined) await closeProcess(session)
      else process.options?.onExit({ ...exit, stderr: { head: stderr, truncated: false } })
      await stage.unheld()
    }
    await Bun.sleep(0)
  }
  return stage
}

async function act(
  stage: DriverStage,
  process: PiProcess,
  msg: Native & string,
  issued: (then: Native, type: string) => Promise<void>,
): Promise<void> {
  const { session } = stage
  if (msg.type === "prompt" && session.turn === undefined) {
    await stage.post(msg.message || "(nothing)")
    await issued(msg, "prompt")
  } else if (["steer", "follow_up"].includes(msg.type ?? "") || msg.streamingBehavior !== undefined) {
    // The core gives an agent one message at a time.
    if (session.turn === undefined || session.sending !== undefined) return
    await stage.post(msg.message ?? "", { delivery: "steer" })
    await issued(msg, "steer")
  } else if (msg.type === "abort" && session.turn !== undefined) {
    void cancelTurn(session, {})
    await issued(msg, "abort")
  } else if (msg.type === "extension_ui_response") await answer(stage, process, msg)
}

/** Answers the request that the host answered then, in the same sense. */
async function answer(stage: DriverStage, process: PiProcess, { id, value, confirmed }: Native): Promise<void> {
  const open = [...stage.session.requests.values()].find(({ native }) => native.key === id)
  if (open === undefined) return
  if (open.native.type === "permission")
    await stage.reply(open.id, value?.startsWith("allow") || confirmed ? "once" : "reject")
  else await stage.answer(open.id, [value === undefined ? [] : [value]])
  await process.until(({ type }) => type === "extension_ui_response")
}
