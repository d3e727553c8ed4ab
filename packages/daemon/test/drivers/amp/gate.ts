import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { type Ask, askOf, type Verdict } from "../../../src/drivers/amp/ask.ts"
import { makeDelegateFiles } from "../../../src/drivers/amp/delegate-files.ts"
import { Gate } from "../../../src/drivers/amp/gate.ts"
import { scratch } from "../../harness/daemon.ts"
import { until } from "../../supervisor/processes.ts"
import { askAt } from "./replay.ts"

export const host = { home: join(scratch(), "amp"), asAgent: <T>(work: () => T): T => work(), log: () => {} }

/** `using gate = openGate()`: the socket of a session, and what came over it. */
export function openGate(home = host.home) {
  mkdirSync(home, { recursive: true })
  const place = makeDelegateFiles("a session/with.anything", daemonProgram(), { ...host, home })
  const asked: { key: string; line: string }[] = []
  const left: string[] = []
  const events = {
    asked: (key: string, line: string) => {
      askOf(line) // as the session reads it
      asked.push({ key, line })
    },
    left: (key: string) => void left.push(key),
  }
  const gate = new Gate(place.socket, events, host)
  const close = () => {
    gate.close()
    place.remove()
  }
  return {
    ...{ place, asked, left, close },
    answer: (key: string, verdict: Verdict) => gate.answer(key, verdict),
    dismiss: () => gate.dismiss(),
    ask: (ask: Ask | string) => askAt(place.socket, ask),
    waiting: (count: number) => until(() => asked.length === count, `${count} asked`),
    /** The delegate as Amp starts it. */
    delegate(input: string) {
      // As under an Amp whose runtime is our executable.
      const env = { PATH: process.env.PATH, BUN_BE_BUN: "1", AGENT_TOOL_NAME: "Bash", AGENT_TOOL_USE_ID: "toolu_1" }
      const child = Bun.spawn([place.program], { env, stdin: "pipe", stdout: "pipe", stderr: "pipe" })
      child.stdin.write(input)
      child.stdin.end()
      return child
    },
    [Symbol.dispose]() {
      close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
