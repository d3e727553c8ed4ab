import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { networkFindings } from "../../src/cli/doctor/network.ts"
import { overfill } from "./overfill.ts"

overfill(["doctorAnswerMs"], "an address that takes a connection and says nothing counts as not reached", async () => {
  using silent = Bun.listen({ port: 0, hostname: "127.0.0.1", socket: { data: () => {} } })
  const findings = await networkFindings({ npm_config_registry: `http://127.0.0.1:${silent.port}`, HOME: "/nowhere" })
  expect(findings.find(({ name }) => name === "package registry")).toMatchObject({
    state: "warning",
    detail: expect.stringContaining(`no answer within ${limits.doctorAnswerMs / 1000} s`),
  })
})
