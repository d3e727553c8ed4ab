import { writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { addEntry, addedFile, removeEntry } from "../../src/registry/registry-file.ts"
import { keptDirectory } from "../durability/database.ts"
import { startDaemon } from "../harness/daemon.ts"

const entry = (id: string, name = id) => ({
  ...{ id, name, version: "1.0.0", description: "x" },
  distribution: { npx: { package: "x@1.0.0" } },
})

test("an agent that is added, changed or taken away while the daemon runs is so for the very next request", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const path = addedFile(dataDir)
  const named = async (id: string) => {
    const { agents } = await daemon.api.ok<{ agents: { id: string; name: string }[] }>("GET", "/v1/agents")
    return agents.find((agent) => agent.id === id)?.name
  }
  expect(await named("later")).toBeUndefined()
  addEntry(path, entry("later"))
  expect(await named("later")).toBe("later")
  addEntry(path, entry("later", "Later on"))
  expect(await named("later")).toBe("Later on")
  writeFileSync(path, "{")
  expect(await named("later")).toBe("Later on")
  writeFileSync(path, JSON.stringify({ version: "1.0.0", agents: [entry("later")] }))
  expect(removeEntry(path, "later")).toBe(true)
  expect(await named("later")).toBeUndefined()
  const refused = await daemon.api.call("POST", "/v1/sessions/one", { agent: "later" })
  expect(refused.body).toMatchObject({ type: "urn:sandbox-agent:error:unsupported_agent" })
})
