import { join } from "node:path"
import { expect, test } from "vitest"
import { startDaemon } from "../../harness/daemon.ts"
import { SdkClient } from "../sdk-client.ts"

const PROMPTS = 300

test("no commit has a prompt's call without its message: a kill between them would leave the client waiting for ever", async () => {
  await using daemon = await startDaemon()
  await using sdk = new SdkClient(daemon, "http")
  const id = await sdk.begin()
  const script = [process.execPath, join(import.meta.dirname, "orphan-calls.ts")]
  const watcher = Bun.spawn([...script, join(daemon.dataDir, "sandbox-agent.db")], { stdin: "pipe", stdout: "pipe" })
  let said = ""
  const reading = (async () => {
    for await (const chunk of watcher.stdout) said += new TextDecoder().decode(chunk)
  })()
  while (!said.includes("ready")) await Bun.sleep(10)
  for (let n = 0; n < PROMPTS; n++) await sdk.prompt(id, `${n}`)
  // Whoever reads finds all of it in the database, also what is not brought there yet.
  await daemon.api.ok("GET", `/v1/sessions/${id}/items`)
  watcher.stdin.end()
  await reading
  expect(JSON.parse(said.slice(said.indexOf("{")))).toEqual({ caught: 0, calls: PROMPTS })
}, 180_000)
