import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

const program = fileURLToPath(new URL("./thorough-agent.ts", import.meta.url))

test.each(["one", "many"] as const)(
  "an error of null beside a result is none, and an update sent as a request is answered (%s)",
  async (sessions) => {
    const agent = { id: "thorough", name: "Thorough", args: [], env: {}, traits: { sessions } }
    const command = [process.execPath, "--no-env-file", program]
    const programs = alwaysThere({ installed: true, credentials: "available", command })
    const supervisor = (daemonId: string) => createSupervisor({ daemonId, log: () => {} })
    await using stage = new DriverStage(createAcpDriver({ agent, programs }), supervisor)
    await stage.create("one", { agent: "thorough" })
    expect(await stage.run("hello")).toMatchObject({ stop_reason: "end_turn" })
    const said = stage.transcript().join("").replace("user: hello", "")
    expect(said).toBe('assistant: one two {"jsonrpc":"2.0","result":{}}')
    expect(stage.wrongs()).toEqual([])
  },
)
