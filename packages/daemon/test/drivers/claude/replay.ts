import { cancelTurn } from "../../../src/core/cancel.ts"
import { createSession } from "../../../src/core/creation.ts"
import type { Exit } from "../../../src/core/driver-sink.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { createClaudeDriver } from "../../../src/drivers/claude/driver.ts"
import { RecordedProcess, recordedLines } from "../recorded-process.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

interface Native {
  type?: string
  uuid?: string
  request_id?: string
  request?: { subtype: string }
  message?: { content: unknown }
  response?: {
    request_id: string
    subtype: string
    response?: { behavior?: string; updatedInput?: { answers?: object } }
  }
}

export interface RecordedLine {
  dir: "meta" | "in" | "out" | "exit"
  msg: Native & Partial<Exit>
}

export const recorded = (name: string): RecordedLine[] => recordedLines("claude", name)

/** Plays a transcript through driver and core: what the host of then did, the core does now. */
export async function replay(lines: RecordedLine[]): Promise<DriverStage> {
  const process = new RecordedProcess<Native>()
  const program = { installed: true, credentials: "available" as const, command: ["claude"] }
  const driver = createClaudeDriver({ programs: alwaysThere(program) })
  const stage = new DriverStage(driver, () => process.supervisor)
  const names = new Map<string, string>()
  const reportsMessageState = lines.some(({ msg }) => msg.type === "command_lifecycle")
  const say = (line: object) => {
    let text = JSON.stringify(line)
    for (const [then, now] of names) text = text.replaceAll(then, now)
    process.say(text)
  }
  const initialized = lines.find(
    ({ dir, msg }) => dir === "out" && JSON.stringify(msg.response ?? "").includes('"models"'),
  )
  const created = createSession(stage.core.sessions, "replayed", { agent: "claude" })
  const request = await process.until(({ request }) => request?.subtype === "initialize")
  process.say({
    type: "control_response",
    response: { ...initialized?.msg.response, subtype: "success", request_id: request.request_id },
  })
  const settings = await process.until(({ request }) => request?.subtype === "get_settings")
  process.say({
    type: "control_response",
    response: { subtype: "success", request_id: settings.request_id, response: { sources: [] } },
  })
  const session = stage.keep((await created).session)
  for (const { dir, msg } of lines) {
    if (dir === "out") say(msg)
    await stage.unheld()
    // A code came after the host had closed its end; without one it was killed.
    if (dir === "exit" && typeof msg.code === "number") await closeProcess(session)
    else if (dir === "exit") process.options?.onExit({ stderr: { truncated: false } })
    await stage.unheld()
    if (dir !== "in") continue
    if (msg.type === "user") {
      const text = JSON.stringify(msg.message?.content)
      // A message that was given back goes again by itself, in place of the host's next one.
      if (session.sending === undefined) await stage.post(text, { delivery: session.turn ? "steer" : "queue" })
      const sent = await process.until(({ type }) => type === "user")
      if (msg.uuid !== undefined) names.set(msg.uuid, sent.uuid ?? "")
      // Ours always have a uuid, and whoever tells the fate of one tells that of each.
      else if (reportsMessageState) say({ type: "command_lifecycle", command_uuid: sent.uuid, state: "started" })
    }
    if (msg.type === "control_request" && msg.request?.subtype === "interrupt" && session.turn !== undefined) {
      void cancelTurn(session, {})
      const sent = await process.until(({ request }) => request?.subtype === "interrupt")
      names.set(msg.request_id ?? "", sent.request_id ?? "")
    }
    if (msg.type === "control_response") await answer(stage, process, msg)
  }
  return stage
}

/** Answers the request that the host answered then, in the same sense. */
async function answer(stage: DriverStage, process: RecordedProcess<Native>, { response }: Native): Promise<void> {
  const open = [...stage.session.requests.values()].find(({ native }) => native.key === response?.request_id)
  const given = response?.response
  if (open === undefined) return
  const allowed = given?.behavior === "allow"
  if (open.native.type === "permission") await stage.reply(open.id, allowed ? "once" : "reject")
  else if (open.native.purpose === "plan_approval") await stage.answer(open.id, [[allowed ? "Approve" : "Reject"]])
  else {
    const chosen = Object.values(given?.updatedInput?.answers ?? {}).map(String)
    await stage.answer(
      open.id,
      open.native.questions.map((_, i) => (chosen[i] === undefined ? [] : [chosen[i]])),
    )
  }
  await process.until(({ type }) => type === "control_response")
}
