import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Agent } from "@sandbox-agent/schema/agent"
import { expect, test } from "vitest"
import { sdkAgent } from "../drivers/acp/added.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"

const folder = scratch()
/** Speaks when it is let, and not at all where it is broken. */
function program(id: string, script: string) {
  const cmd = join(folder, id)
  writeFileSync(cmd, `#!/bin/sh\n${script}\n`)
  chmodSync(cmd, 0o755)
  return { id, name: id, distribution: { command: { cmd } } }
}
const go = join(folder, "go")
const speaks = `exec ${process.execPath} --no-env-file ${sdkAgent}`
const agents = [
  program("slow", `while ! [ -e ${go} ]; do sleep 0.05; done; ${speaks}`),
  program("broken", "echo no luck >&2; exit 3"),
]

const processOf = async ({ api }: TestDaemon, id: string) => (await api.ok<Agent>("GET", `/v1/agents/${id}`)).process

test("an agent is stopped, starting, running, failed when it is lost, and running again", async () => {
  const file = join(folder, "agents.json")
  writeFileSync(file, JSON.stringify({ agents }))
  await using daemon = await startDaemon({ flags: ["--agents-file", file] })
  const { api } = daemon
  expect(await processOf(daemon, "slow")).toEqual({ status: "stopped", restartCount: 0 })
  const created = api.create("one", { agent: "slow" })
  let now = await processOf(daemon, "slow")
  while (now.pid === undefined) now = await processOf(daemon, "slow")
  expect(now).toMatchObject({ status: "starting", pid: expect.any(Number) })
  writeFileSync(go, "")
  await created
  const running = await processOf(daemon, "slow")
  expect(running).toMatchObject({ status: "running", pid: now.pid })

  process.kill(now.pid, "SIGKILL")
  await api.until("one", "session.updated", ({ data }) => data.agent_process === "none")
  const lost = await processOf(daemon, "slow")
  expect(lost).toMatchObject({ status: "failed", lastError: expect.stringContaining("SIGKILL") })
  expect(lost.pid).toBeUndefined()
  await api.create("two", { agent: "slow" })
  expect(await processOf(daemon, "slow")).toMatchObject({ status: "running" })
  // Asked to go: nothing failed.
  await api.terminate("two")
  while (now.pid !== undefined) now = await processOf(daemon, "slow")
  expect(now).toMatchObject({ status: "stopped" })
})

test("an agent that does not start has failed, and says why", async () => {
  const file = join(folder, "agents.json")
  writeFileSync(file, JSON.stringify({ agents }))
  await using daemon = await startDaemon({ flags: ["--agents-file", file] })
  expect(await daemon.api.create("one", { agent: "broken" })).toMatchObject({ healthy: false })
  expect(await processOf(daemon, "broken")).toMatchObject({
    status: "failed",
    lastError: expect.stringMatching(/3|luck/),
  })
})
