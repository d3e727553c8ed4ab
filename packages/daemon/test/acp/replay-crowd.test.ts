import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"

/** The last message of the session. */
const marker = "the-very-end"
const MiB = 1024 * 1024
const program = join(import.meta.dirname, "replay-crowd.ts")

/** Clients that load a session, in a process of their own. */
function loaders(daemon: TestDaemon, session: string, count: number) {
  const about = { url: daemon.url, token: daemon.token, count, session, marker, step: MiB }
  const child = Bun.spawn([process.execPath, program, JSON.stringify(about)], { stdout: "pipe", stderr: "inherit" })
  onTestFinished(() => child.kill("SIGKILL"))
  const state = { received: 0, isOver: false }
  const received = (async () => {
    let rest = ""
    for await (const chunk of child.stdout) {
      const lines = (rest + new TextDecoder().decode(chunk)).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const [word, bytes] = line.split(" ")
        if (word === "wrong:") throw new Error(line)
        state.received = Number(bytes)
        if (word === "complete") return
      }
    }
    throw new Error("the clients ended before they were told all")
  })().finally(() => {
    state.isOver = true
  })
  return { state, all: received }
}

test("messages to other sessions, and health, are answered while many ACP clients load a long session", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("past")
  await api.create("now")
  await api.turn("now", "warm")
  const turns = 4
  for (let turn = 0; turn < turns; turn++) await api.turn("past", "/stream 2000 4000")
  await api.turn("past", marker)
  const count = 20
  const { state, all: toldAll } = loaders(daemon, "past", count)
  const received: number[] = []
  while (!state.isOver) {
    await api.turn("now", "hello")
    expect((await api.call("GET", "/v1/health")).status).toBe(200)
    received.push(state.received)
  }
  await toldAll
  const all = state.received
  // Nothing is left out for the sake of others.
  expect(all).toBeGreaterThan(count * turns * 2000 * 4000)
  // Some twenty; when readers could take all they wanted, two.
  expect(received.filter((bytes) => bytes > 0 && bytes < all / 2).length).toBeGreaterThan(7)
}, 300_000)
