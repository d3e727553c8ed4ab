import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { createInterface } from "node:readline"
import { seeded } from "../../durability/survivor.ts"
import { type Step, stepsOf } from "./grammar.ts"

/** An ACP agent that does what its seed says. A prompt is `SEED COUNT`. */
interface Message {
  id?: number | string
  method?: string
  params?: { sessionId?: string; prompt?: { text?: string }[]; cwd?: string }
}

const never = () => new Promise<never>(() => setInterval(() => {}, 60_000))
const say = (text: string) => new Promise<void>((resolve) => process.stdout.write(text, () => resolve()))
const write = (message: object) => say(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

/** Honest until it is prompted: a session that cannot be opened would be all that is tested. */
let sessions = 0
let directory = process.cwd()

async function play(step: Step, put: (text: string) => string, prompt: number | string): Promise<boolean> {
  switch (step.kind) {
    case "line":
      await say(`${put(step.text)}\n`)
      break
    case "half":
      await say(step.text)
      break
    case "bytes":
      process.stdout.write(Buffer.concat([Buffer.from(step.base64, "base64"), Buffer.from("\n")]))
      break
    case "long":
      await say(`${put(step.head)}${step.char.repeat(step.times)}${step.tail}\n`)
      break
    case "noise":
      process.stderr.write("noise ".repeat(step.bytes / 6))
      break
    case "wait":
      await Bun.sleep(step.ms)
      break
    case "shell":
      spawn("sh", ["-c", step.script], { cwd: directory, stdio: "inherit" }).on("error", () => undefined)
      break
    case "signal":
      process.kill(process.pid, step.name)
      break
    case "exit":
      process.exit(step.code)
      break
    case "close":
      closeSync(1)
      return never()
    case "hang":
      return never()
    case "answer":
      await write({ id: prompt, result: { stopReason: step.stopReason } })
      return true
  }
  return false
}

async function receive({ id, method, params }: Message): Promise<void> {
  if (method === undefined || id === undefined) return
  if (method === "initialize") return write({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
  if (method === "session/new") {
    directory = params?.cwd ?? directory
    return write({ id, result: { sessionId: `fuzz-${process.pid}-${++sessions}` } })
  }
  if (method !== "session/prompt") return write({ id, error: { code: -32601, message: "no such method" } })
  const asked = params?.prompt?.map((part) => /(\d+) (\d+)$/.exec(part.text ?? "")).findLast((found) => found) ?? []
  const put = (text: string) =>
    text
      .replaceAll("$SESSION", params?.sessionId ?? "")
      .replaceAll('"$PROMPT"', JSON.stringify(id))
      .replaceAll("$HERE", directory)
  let answered = false
  for (const step of stepsOf(seeded(Number(asked[1])), Number(asked[2])))
    answered = (await play(step, put, id)) || answered
  // Also a second time: an answer to what was answered.
  if (!answered || Number(asked[1]) % 7 === 0) await write({ id, result: { stopReason: "end_turn" } })
}

// Some survive what ends others: a signal, and the end of their input.
const stubborn = process.pid % 8 === 0
if (stubborn) process.on("SIGTERM", () => undefined)
for await (const line of createInterface({ input: process.stdin })) void receive(JSON.parse(line) as Message)
if (stubborn) await never()
process.exit(0)
