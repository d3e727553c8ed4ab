import { fileURLToPath } from "node:url"
import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { expect } from "vitest"
import { hostFor } from "../../../src/core/opening.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import { overfill } from "./overfill.ts"

const program = fileURLToPath(new URL("./many-models-agent.ts", import.meta.url))
const { probedModels } = acpAgentLimits

overfill(["probedModels"], "all models are listed, of those beyond it the variants are not asked for", async () => {
  const agent = { id: "many", name: "Many", args: [], env: {}, traits: {} }
  const command = [process.execPath, "--no-env-file", program, String(probedModels + 3)]
  const programs = alwaysThere({ installed: true, credentials: "available", command })
  await using stage = new DriverStage(createAcpDriver({ agent, programs }), (daemonId) =>
    createSupervisor({ daemonId, log: () => {} }),
  )
  const { models } = await stage.core.sessions.driver("many").catalog(hostFor(stage.core.context, "many"))
  expect(models).toHaveLength(probedModels + 3)
  const last = models[probedModels - 1]
  // The first is the one that is chosen already.
  expect(last?.variants).toEqual([`${last?.id}-low`, `${last?.id}-${probedModels - 1}`])
  expect(models.slice(probedModels).map(({ variants }) => variants)).toEqual([[], [], []])
})
