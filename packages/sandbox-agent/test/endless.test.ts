import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { SandboxAgentClient } from "../src/sandbox-agent.ts"
import { Pulse } from "../src/terminal/pulse.ts"
import { writeExecutable } from "./harness/executable.ts"

const home = mkdtempSync(join(tmpdir(), "sandbox-agent-endless-"))
const binaryPath = join(home, "bin/sandbox-agent")
beforeAll(() => writeExecutable(binaryPath))
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Longer than a timer takes: it would be over at once. */
const times = [2 ** 31, Number.POSITIVE_INFINITY]

test.each(times)(
  "a client whose times are all %d ms waits for a daemon, its answers, streams and files",
  async (ms) => {
    const timers = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "setInterval")]
    const limits = { requestMs: ms, workMs: ms, openMs: ms, stallMs: ms }
    const env = { XDG_DATA_HOME: join(home, `data-${ms}`) }
    {
      await using client = await SandboxAgentClient.start({
        spawn: { binaryPath, env, timeoutMs: ms },
        agent: "mock",
        limits,
      })
      const { id } = await client.newSession({ directory: home })
      expect(await client.prompt(id, "hello")).toMatchObject({ stopReason: "end_turn" })
      const path = join(home, "written")
      await client.fs.write(path, new TextEncoder().encode("words"))
      const read = await client.fs.readStream(path)
      expect(await new Response(read).text()).toBe("words")
    }
    const pulse = new Pulse(3 * ms, () => expect.unreachable("it asked"))
    pulse.begin()
    pulse.stop()
    for (const { mock } of timers)
      expect(mock.calls.map(([, given]) => given ?? 0).filter((given) => given > 2 ** 31 - 1)).toEqual([])
  },
)
