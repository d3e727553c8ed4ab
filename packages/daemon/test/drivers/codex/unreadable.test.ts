import { fileURLToPath } from "node:url"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import type { Host } from "../../../src/core/driver.ts"
import type { LineSink } from "../../../src/core/driver-sink.ts"
import { type Listener, Server } from "../../../src/drivers/codex/server.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { scratch } from "../../harness/daemon.ts"

const program = fileURLToPath(new URL("./noisy-server.ts", import.meta.url))

/** What one session is told. */
class Told implements Listener {
  readonly lines: string[] = []
  readonly withheld: string[] = []
  readonly receive = () => undefined
  readonly sink: LineSink = {
    line: (raw, handle) => {
      expect(handle).toThrow()
      this.lines.push(raw.slice(0, 6))
    },
    passedOver: (why) => this.withheld.push(why),
    sent: () => undefined,
    after: () => undefined,
  }

  constructor(public working: boolean) {}
}

test("a line of no thread that cannot be read is kept by the session that works; where several do by none", async () => {
  const supervisor = createSupervisor({ daemonId: `codex-unreadable-${process.pid}`, log: () => {} })
  const host = { supervisor, asAgent: (work: () => unknown) => work(), log: () => {} } as unknown as Host
  const launcher = { command: [process.execPath, "--no-env-file", program], env: {} } as never
  const options = { key: "key", launcher, serverHome: { home: scratch(), env: {} }, version: "0" }
  const hooks = { again: false, lost: () => {}, room: () => undefined, signal: new AbortController().signal }
  const server = await Server.start(options as never, host, hooks)
  try {
    const [idle, one, two] = [new Told(false), new Told(true), new Told(false)]
    for (const [thread, listener] of Object.entries({ idle, one, two })) server.listen(thread, listener)
    const say = (params: object) => server.request("model/list", params as never)
    await say({ noise: "DEBUG secret" })
    await say({ noise: "long ", times: limits.agentLineBytes / 4 })
    expect([idle, one, two].map(({ lines }) => lines)).toEqual([[], ["DEBUG ", "long l"], []])
    two.working = true
    await say({ noise: "DEBUG secret" })
    await say({ noise: '{"method":"x","params":{"threadId":"one","x":' })
    await say({ noise: '{"method":"x","params":{"threadId":"gone","x":' })
    expect([idle, one, two].map(({ lines }) => lines.length)).toEqual([0, 3, 0])
    expect([idle, one, two].map(({ withheld }) => withheld.length)).toEqual([0, 1, 1])
    expect(two.withheld.join()).not.toContain("DEBUG")
  } finally {
    await server.stop()
    await supervisor.stopAll()
  }
})
