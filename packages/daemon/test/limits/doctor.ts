import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { networkFindings } from "../../src/cli/doctor/network.ts"
import { StandaloneInstaller } from "../../src/cli/standalone-installer.ts"
import { temporaryFolder } from "../cli/spawn.ts"
import { overfill } from "./overfill.ts"

overfill(["doctorAnswerMs"], "an address that takes a connection and says nothing counts as not reached", async () => {
  using silent = Bun.listen({ port: 0, hostname: "127.0.0.1", socket: { data: () => {} } })
  const address = `http://127.0.0.1:${silent.port}`
  using folder = temporaryFolder()
  await using standalone = new StandaloneInstaller(folder.path, folder.path, { npm_config_registry: address })
  const env = { OPENAI_API_KEY: "sk-0123456789abcdef", OPENAI_BASE_URL: address, HOME: folder.path }
  const findings = await networkFindings((withinMs) => standalone.newestPackage(withinMs), env)
  const of = (name: string) => findings.find((finding) => finding.name === name)
  expect(of("openai")).toMatchObject({
    state: "warning",
    detail: expect.stringContaining(`no answer within ${limits.doctorAnswerMs / 1000} s`),
  })
  expect(of("package registry")).toMatchObject({ state: "warning", detail: expect.stringContaining("took too long") })
})
