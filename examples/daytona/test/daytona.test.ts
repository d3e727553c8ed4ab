import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { executable } from "@sandbox-agent/test-agents/daemon-program"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { afterAll, expect, test } from "vitest"
import { writeExecutable } from "../../../packages/sandbox-agent/test/harness/executable.ts"
import { DaytonaEdge, daytonaPackage } from "../../../packages/sandbox-agent/test/sandbox/daytona-edge.ts"
import { VendorEdge } from "../../../packages/sandbox-agent/test/sandbox/vendor-edge.ts"
import { ask } from "../src/main.ts"

const work = mkdtempSync(join(tmpdir(), "sandbox-agent-example-daytona-"))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** To the edge of the network: the package `@daytona/sdk` speaks to an API on loopback, whose sandboxes are processes of this machine. */
test("an agent answers, and the sandbox is gone", async () => {
  await using edge = await new DaytonaEdge().listen()
  const given = {
    Daytona: await daytonaPackage(),
    apiKey: VendorEdge.key,
    config: { apiUrl: edge.url, useDeprecatedPolling: true },
  }
  const own = { binaryPath: writeExecutable(join(work, "sandbox-agent")), port: await keptPort() }
  expect(await ask("hello", "mock", { ...given, ...own }, edge.fetch as typeof fetch)).toBe("hello")
  expect(edge.ended).toHaveLength(1)
  expect(edge.running).toEqual([])
})

test("the same at Daytona", { timeout: 600_000 }, async ({ skip }) => {
  if (!process.env.DAYTONA_API_KEY) skip("DAYTONA_API_KEY is not set")
  if (process.env.TEST_EXECUTABLE !== "1") skip("needs the executable: npm test builds it")
  expect(await ask("hello", "mock", { Daytona: await daytonaPackage(), binaryPath: executable })).toBe("hello")
})
