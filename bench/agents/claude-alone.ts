import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { environment, protocolFlags } from "../../packages/daemon/src/drivers/claude/launch.ts"
import { nativeVariables } from "../../packages/daemon/src/registry/variables.ts"
import { environmentOf } from "../../packages/daemon/src/supervisor/environment.ts"
import { lines } from "../client/lines.ts"
import { temporary } from "../target/launch.ts"
import type { Answered, Arm } from "./arm.ts"
import { startAlone, stopAlone } from "./process.ts"
import { workspace } from "./workspace.ts"

/** Claude Code with the flags and the environment the daemon gives it, driven over stdio by the least there is. */
export async function claudeAlone(program: string, given: (home: string) => Record<string, string>): Promise<Arm> {
  const directory = await temporary()
  const home = join(directory, "home")
  mkdirSync(home)
  // As the daemon makes it, down to the certificates: each of them costs the agent memory.
  const env = environmentOf(nativeVariables("claude"), environment(given(home), {}))
  const children: Bun.Subprocess[] = []
  return {
    pids: () => children.map(({ pid }) => pid),
    async answer(name) {
      const asked = performance.now()
      const flags = ["--session-id", crypto.randomUUID(), "--permission-mode", "default"]
      const child = startAlone([program, ...protocolFlags, ...flags], workspace(directory, name), env)
      children.push(child)
      const write = async (line: object): Promise<void> => {
        child.stdin.write(`${JSON.stringify(line)}\n`)
        await child.stdin.flush()
      }
      return drive(lines(child.stdout), write, asked)
    },
    stop: () => stopAlone(children, directory),
  }
}

async function drive(
  stdout: AsyncGenerator<string>,
  write: (line: object) => Promise<void>,
  asked: number,
): Promise<Answered> {
  const since = (): number => performance.now() - asked
  await write({
    type: "control_request",
    request_id: "1",
    request: { subtype: "initialize", forwardSubagentText: true },
  })
  const said: Answered = { ready: Number.NaN, first: Number.NaN, last: Number.NaN, deltas: 0 }
  // By hand: `for await` would end the generator, and nobody would read on.
  for (let next = await stdout.next(); !next.done; next = await stdout.next()) {
    const line = next.value
    if (Number.isNaN(said.ready) && line.includes(`"control_response"`)) {
      said.ready = since()
      await write({ type: "user", message: { role: "user", content: "hello" }, uuid: crypto.randomUUID() })
    }
    if (line.includes(`"content_block_delta"`)) {
      said.last = since()
      if (said.deltas++ === 0) said.first = said.last
    }
    if (line.includes(`"type":"result"`)) {
      void drain(stdout)
      return said
    }
  }
  throw new Error("Claude Code ended before its answer did")
}

async function drain(stdout: AsyncGenerator<string>): Promise<void> {
  while (!(await stdout.next()).done);
}
