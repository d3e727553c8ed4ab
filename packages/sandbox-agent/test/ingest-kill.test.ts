import { fileURLToPath } from "node:url"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { isMusl } from "@sandbox-agent/test-agents/fetched"
import { expect, test } from "vitest"
import { type ServerProcess, startProcess } from "../../acp-http-client/test/servers/process.ts"
import { random } from "../../acp-http-client/test/servers/random.ts"
import { SandboxAgentClient } from "../src/sandbox-agent.ts"
import { PostgresStore } from "../src/store/postgres.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { TestPostgres } from "./harness/postgres.ts"
import { expectSame } from "./harness/stored-logs.ts"

const program = fileURLToPath(new URL("harness/ingest-process.ts", import.meta.url))
const boxes = rounds(3, 50)
const wanted = rounds(600, 2_000)
const kills = rounds(5, 60)

test.skipIf(isMusl)(
  "three that read many sandboxes, all killed at random: nothing lost, nothing twice, order kept",
  async () => {
    const next = random(Number(process.env.KILL_SEED ?? 11))
    const pick = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T
    await using postgres = await TestPostgres.start()
    await using cleanUp = new AsyncDisposableStack()
    const daemons: TestDaemon[] = []
    for (let at = 0; at < boxes; at++) daemons.push(cleanUp.use(await TestDaemon.start()))
    const clients = daemons.map(
      ({ baseUrl }) =>
        new SandboxAgentClient({
          autoConnect: false,
          baseUrl,
          token,
          limits: { pauseMinMs: 5, pauseMaxMs: 200, attempts: 500 },
        }),
    )
    for (const client of clients) await client.createSession("s", { agent: "mock" })
    const begin = () =>
      startProcess([process.execPath, program, postgres.folder, ...daemons.map(({ baseUrl }) => baseUrl)])
    const readers: ServerProcess[] = await Promise.all([begin(), begin(), begin()])
    cleanUp.defer(async () => {
      for (const reader of readers) await reader.stop()
    })

    const say = (client: SandboxAgentClient) =>
      client.postMessage("s", { message: `/stream ${Math.ceil(wanted / kills)} 10` })
    // Something is said all the time while one after the other is killed.
    for (let kill = 0; kill < kills; kill++) {
      const saying = Promise.all(clients.map(say))
      if (next() < 0.6) {
        const at = Math.floor(next() * readers.length)
        await readers[at]?.stop()
        readers[at] = await begin()
      } else await pick(daemons).restart()
      await saying
    }
    // What a daemon was in the middle of when it was killed was not said to its end.
    for (const client of clients) {
      for (let length = 0; length < wanted; ) {
        const { lastSequence, status, queue } = await client.getSession("s")
        length = lastSequence
        if (length < wanted && status === "idle" && queue.length === 0) await say(client)
      }
    }

    await using store = await PostgresStore.open(await postgres.pool())
    for (const [at, client] of clients.entries()) {
      const length = await expectSame(store, { sandbox: `box${at}`, id: "s" }, client)
      expect(length).toBeGreaterThanOrEqual(wanted)
    }
    expect((await store.list({ limit: 1000 })).sessions).toHaveLength(boxes)
  },
  rounds(180_000, 1_200_000),
)
