import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { executable } from "@sandbox-agent/test-agents/daemon-program"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { afterAll, expect, test } from "vitest"
import { writeExecutable } from "../../../packages/sandbox-agent/test/harness/executable.ts"
import { VendorEdge } from "../../../packages/sandbox-agent/test/sandbox/vendor-edge.ts"
import { VercelEdge, vercelPackage } from "../../../packages/sandbox-agent/test/sandbox/vercel-edge.ts"
import { ask } from "../src/main.ts"

const work = mkdtempSync(join(tmpdir(), "sandbox-agent-example-vercel-"))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** To the edge of the network: the package `@vercel/sandbox` speaks to an API on loopback, whose sandboxes are processes of this machine. */
test("an agent answers, and the sandbox is gone", async () => {
  await using edge = await new VercelEdge().listen()
  const whose = { accessToken: VendorEdge.key, teamId: "team_1", projectId: "prj_1" }
  const given = { ...whose, Sandbox: await vercelPackage(), options: { fetch: edge.toApi } }
  const own = { binaryPath: writeExecutable(join(work, "sandbox-agent")), port: await keptPort() }
  expect(await ask("hello", "mock", { ...given, ...own }, edge.fetch as typeof fetch)).toBe("hello")
  expect(edge.ended).toHaveLength(1)
  expect(edge.running).toEqual([])
})

test("the same at Vercel", { timeout: 600_000 }, async ({ skip }) => {
  if (!process.env.VERCEL_TOKEN && !process.env.VERCEL_OIDC_TOKEN)
    skip("neither VERCEL_TOKEN (with VERCEL_TEAM_ID and VERCEL_PROJECT_ID) nor VERCEL_OIDC_TOKEN is set")
  if (process.env.TEST_EXECUTABLE !== "1") skip("needs the executable: npm test builds it")
  expect(await ask("hello", "mock", { Sandbox: await vercelPackage(), binaryPath: executable })).toBe("hello")
})
