import { mkdirSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { childEnvironment } from "../../packages/daemon/src/agents/environment.ts"
import { environment, protocolFlags } from "../../packages/daemon/src/drivers/claude/launch.ts"
import { lines } from "../client/lines.ts"
import { temporary } from "../target/launch.ts"
import type { Answered, Arm } from "./arm.ts"
import { claudeEnv, claudeProgram, workspace } from "./claude.ts"

const running = new Set<Bun.Subprocess>()
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

/** Claude Code with the flags and the environment the daemon gives it, driven over stdio by the least there is. */
export async function alone(modelUrl: string): Promise<Arm> {
  const directory = await temporary()
  const home = join(directory, "home")
  mkdirSync(home)
  // As the daemon makes it, down to the certificates: each of them costs the agent memory.
  const env = childEnvironment(environment(claudeEnv(home, modelUrl), {}), "alone")
  const children: Bun.Subprocess[] = []
  return {
    pids: () => children.map(({ pid }) => pid),
    async answer(name) {
      const asked = performance.now()
      const child = Bun.spawn(
        [claudeProgram(), ...protocolFlags, "--session-id", crypto.randomUUID(), "--permission-mode", "default"],
        // In a session of its own, as the daemon starts it: the kernel shares the processors out by session.
        { cwd: workspace(directory, name), env, detached: true, stdin: "pipe", stdout: "pipe", stderr: "ignore" },
      )
      children.push(child)
      running.add(child)
      const write = async (line: object): Promise<void> => {
        child.stdin.write(`${JSON.stringify(line)}\n`)
        await child.stdin.flush()
      }
      return drive(lines(child.stdout), write, asked)
    },
    async stop() {
      for (const child of children) {
        child.kill("SIGTERM")
        await child.exited
        running.delete(child)
      }
      await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
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
  let ready = Number.NaN
  let first = Number.NaN
  // By hand: `for await` would end the generator, and nobody would read on.
  for (let next = await stdout.next(); !next.done; next = await stdout.next()) {
    const line = next.value
    if (Number.isNaN(ready) && line.includes(`"control_response"`)) {
      ready = since()
      await write({ type: "user", message: { role: "user", content: "hello" }, uuid: crypto.randomUUID() })
    }
    if (Number.isNaN(first) && line.includes(`"content_block_delta"`)) first = since()
    if (line.includes(`"type":"result"`)) {
      void drain(stdout)
      return { ready, first }
    }
  }
  throw new Error("Claude Code ended before its answer did")
}

async function drain(stdout: AsyncGenerator<string>): Promise<void> {
  while (!(await stdout.next()).done);
}
