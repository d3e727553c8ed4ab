import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { expect } from "vitest"
import { cleanEnvironment } from "./spawn.ts"

type Answer = [shown: string, typed: string]

/** Runs the command line at a real terminal; each answer is typed when the screen shows what it is for. */
export async function atTerminal(
  args: string[],
  answers: Answer[] = [],
  dataDir = "/no/such/place",
  env: Record<string, string> = {},
): Promise<{ code: number; screen: string }> {
  let screen = ""
  let from = 0
  // Its last words may be read after its end is known.
  const read = Promise.withResolvers<void>()
  const decoder = new TextDecoder()
  const child = Bun.spawn([...daemonProgram(), ...args], {
    env: { ...cleanEnvironment, SANDBOX_AGENT_DATA_DIR: dataDir, NO_COLOR: "1", TERM: "xterm", ...env },
    terminal: {
      cols: 100,
      rows: 30,
      data(terminal, bytes) {
        screen += decoder.decode(bytes, { stream: true })
        const next = answers[0]
        const at = next ? screen.indexOf(next[0], from) : -1
        if (!next || at < 0) return
        answers.shift()
        from = at + next[0].length
        terminal.write(next[1])
      },
      exit: () => read.resolve(),
    },
  })
  const code = await child.exited
  await read.promise
  expect(answers).toEqual([])
  return { code, screen: screen.replaceAll("\r", "") }
}
