import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { scratch, startDaemon } from "../../harness/daemon.ts"
import { sdkAgent } from "./added.ts"

test("sessions share a process as long as its whole environment is the same, wherever a variable comes from", async () => {
  const folder = scratch()
  const program = join(folder, "agent")
  const started = join(folder, "started")
  writeFileSync(
    program,
    `#!/bin/sh\necho "$MY_KEY" >> ${started}\nexec ${process.execPath} --no-env-file ${sdkAgent}\n`,
  )
  chmodSync(program, 0o755)
  const traits = { sessions: "many", login: [{ env: "MY_KEY" }] }
  const entry = { id: "shared", name: "S", distribution: { command: { cmd: program } } }
  const file = join(folder, "agents.json")
  writeFileSync(file, JSON.stringify({ agents: [{ ...entry, _meta: { "sandboxagent.dev": traits } }] }))
  await using daemon = await startDaemon({ flags: ["--agents-file", file], env: { MY_KEY: "of the daemon" } })
  const open = async (id: string, env?: Record<string, string>) =>
    expect(await daemon.api.create(id, { agent: "shared", env })).toMatchObject({ healthy: true })
  await open("plain")
  await open("same", { MY_KEY: "of the daemon" })
  await open("other", { MY_KEY: "of the session" })
  await open("other-again", { MY_KEY: "of the session" })
  expect(readFileSync(started, "utf8")).toBe("of the daemon\nof the session\n")
})
