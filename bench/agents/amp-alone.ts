import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { environment, protocolFlags } from "../../packages/daemon/src/drivers/amp/launch.ts"
import { nativeVariables } from "../../packages/daemon/src/registry/variables.ts"
import { environmentOf } from "../../packages/daemon/src/supervisor/environment.ts"
import { lines } from "../client/lines.ts"
import { temporary } from "../target/launch.ts"
import type { Answered, Arm } from "./arm.ts"
import { startAlone, stopAlone } from "./process.ts"
import { workspace } from "./workspace.ts"

/** Amp with the flags and the environment the daemon gives it, driven over stdio by the least there is. */
export async function ampAlone(program: string, given: (home: string) => Record<string, string>): Promise<Arm> {
  const directory = await temporary()
  const home = join(directory, "home")
  mkdirSync(home)
  const env = environmentOf(nativeVariables("amp"), environment(given(home), {}))
  const children: Bun.Subprocess[] = []
  return {
    pids: () => children.map(({ pid }) => pid),
    async answer(name) {
      const asked = performance.now()
      const child = startAlone([program, ...protocolFlags, "--mode", "smart"], workspace(directory, name), env)
      children.push(child)
      // It takes a message whether it is ready or not, and does not say when it is.
      const ready = performance.now() - asked
      const content = [{ type: "text", text: "hello" }]
      child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`)
      await child.stdin.flush()
      return { ready, ...(await answered(lines(child.stdout), asked)) }
    },
    stop: () => stopAlone(children, directory),
  }
}

/** Its answer comes in one piece. */
async function answered(stdout: AsyncGenerator<string>, asked: number): Promise<Omit<Answered, "ready">> {
  // By hand: `for await` would end the generator, and nobody would read on.
  for (let next = await stdout.next(); !next.done; next = await stdout.next()) {
    if (!next.value.includes(`"type":"assistant"`)) continue
    const said = performance.now() - asked
    void drain(stdout)
    return { first: said, last: said, deltas: 1 }
  }
  throw new Error("Amp ended before its answer did")
}

async function drain(stdout: AsyncGenerator<string>): Promise<void> {
  while (!(await stdout.next()).done);
}
