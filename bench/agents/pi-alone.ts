import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { extensionFile } from "../../packages/daemon/src/drivers/pi/extension-file.ts"
import { environment, protocolFlags } from "../../packages/daemon/src/drivers/pi/launch.ts"
import { nativeVariables } from "../../packages/daemon/src/registry/variables.ts"
import { environmentOf } from "../../packages/daemon/src/supervisor/environment.ts"
import { lines } from "../client/lines.ts"
import { temporary } from "../target/launch.ts"
import type { Answered, Arm } from "./arm.ts"
import { startAlone, stopAlone } from "./process.ts"
import { workspace } from "./workspace.ts"

/** Pi with the flags, the extension and the environment the daemon gives it, but what tunes its runtime, driven over stdio by the least there is. */
export async function piAlone(program: string[], given: (home: string) => Record<string, string>): Promise<Arm> {
  const directory = await temporary()
  const home = join(directory, "home")
  mkdirSync(home)
  const env = environmentOf(nativeVariables("pi"), environment(given(home), {}))
  const extension = extensionFile({ home: directory, asAgent: (work) => work() })
  const children: Bun.Subprocess[] = []
  return {
    pids: () => children.map(({ pid }) => pid),
    async answer(name) {
      const asked = performance.now()
      const flags = [...protocolFlags, "--session-id", crypto.randomUUID(), "--extension", extension]
      const child = startAlone([...program, ...flags], workspace(directory, name), env)
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
  await write({ id: "1", type: "get_state" })
  const said: Answered = { ready: Number.NaN, first: Number.NaN, last: Number.NaN, deltas: 0 }
  // By hand: `for await` would end the generator, and nobody would read on.
  for (let next = await stdout.next(); !next.done; next = await stdout.next()) {
    const line = next.value
    if (Number.isNaN(said.ready) && line.includes(`"command":"get_state"`)) {
      said.ready = since()
      await write({ id: "2", type: "prompt", message: "hello" })
    }
    if (line.includes(`"type":"text_delta"`)) {
      said.last = since()
      if (said.deltas++ === 0) said.first = said.last
    }
    if (line.includes(`"type":"agent_settled"`)) {
      void drain(stdout)
      return said
    }
  }
  throw new Error("Pi ended before its answer did")
}

async function drain(stdout: AsyncGenerator<string>): Promise<void> {
  while (!(await stdout.next()).done);
}
