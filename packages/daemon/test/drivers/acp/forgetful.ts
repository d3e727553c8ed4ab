import { fileURLToPath } from "node:url"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

const program = fileURLToPath(new URL("./forgetful-agent.ts", import.meta.url))

/** An agent that does not know its sessions any more, and says so as the words tell. */
export async function startForgetful(...words: string[]): Promise<DriverStage> {
  const agent = { id: "forgetful", name: "Forgetful", args: [], env: {}, traits: { sessions: "one" as const } }
  const command = [process.execPath, "--no-env-file", program, ...words]
  const programs = alwaysThere({ installed: true, credentials: "available", command })
  const stage = new DriverStage(createAcpDriver({ agent, programs }), (daemonId) =>
    createSupervisor({ daemonId, log: () => {} }),
  )
  await stage.create("one", { agent: "forgetful" })
  return stage
}
