import type { Call } from "../blocks.ts"
import { Interrupted } from "../interrupt.ts"
import { KeptOutput, runShell } from "../shell.ts"
import type { Turn } from "../turn.ts"
import { type Command, required } from "./command.ts"
import { allowed, asksFirst } from "./permission.ts"

export const run: Command = {
  hint: "COMMAND",
  description: "Asks for permission, then runs the shell command; in bypass it runs at once",
  run: (command, turn) => callShell(required(command, "COMMAND"), turn, asksFirst(turn)),
}

export const permission: Command = {
  hint: "COMMAND",
  description: "Asks for permission in every mode, then runs the shell command",
  run: (command, turn) => callShell(required(command, "COMMAND"), turn, true),
}

async function callShell(command: string, turn: Turn, ask: boolean): Promise<void> {
  const call = turn.blocks.call({
    name: "Bash",
    tool: "execute",
    title: command,
    arguments: JSON.stringify({ command }),
  })
  const request = {
    kind: "command",
    action: `Run ${command}`,
    detail: { command },
    rule: `command:${command}`,
  } as const
  if (ask && !(await allowed(turn, call, request))) return
  await execute(command, turn, call)
}

async function execute(command: string, turn: Turn, call: Call): Promise<void> {
  const kept = new KeptOutput()
  let block: string | undefined
  const end = (final: { isError: boolean; cut?: true }, unsaid = "") => {
    const truncated = kept.truncated ? { truncated: true } : {}
    turn.blocks.endResult(block ?? turn.blocks.startResult(call), { text: kept.text || unsaid, ...final, ...truncated })
  }
  try {
    const { code, signal } = await runShell(command, turn.signal, kept, (text) => {
      block ??= turn.blocks.startResult(call)
      turn.blocks.delta(block, text)
      return turn.agent.out.behind()
    })
    // A failure that said nothing still says how it ended.
    if (code === 0) end({ isError: false })
    else end({ isError: true }, code === null ? `Ended by ${signal}.` : `Exit code ${code}.`)
  } catch (error) {
    if (error instanceof Interrupted) end({ isError: true, cut: true })
    throw error
  }
}
