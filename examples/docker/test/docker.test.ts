import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { executable } from "@sandbox-agent/test-agents/daemon-program"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { afterAll, expect, test } from "vitest"
import { writeExecutable, writeProgram } from "../../../packages/sandbox-agent/test/harness/executable.ts"
import { containersIn, dockerProgram } from "../../../packages/sandbox-agent/test/sandbox/docker-program.ts"
import { ask } from "../src/main.ts"

const work = mkdtempSync(join(tmpdir(), "sandbox-agent-example-docker-"))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** Without an engine: a program that takes the words of `docker`, and runs what they start as processes of this machine. */
test("an agent answers, and the container is gone", async () => {
  writeFileSync(join(work, "images"), "there\n")
  const program = writeProgram(join(work, "docker"), dockerProgram(work))
  const binaryPath = writeExecutable(join(work, "sandbox-agent"))
  const answer = await ask("hello", "mock", { program, binaryPath, image: "there", port: await keptPort() })
  expect(answer).toBe("hello")
  expect(containersIn(work)).toEqual([])
})

const hasEngine = spawnSync("docker", ["info"]).status === 0

test("the same in a real container", { timeout: 600_000 }, async ({ skip }) => {
  if (!hasEngine) skip("no Docker engine answers here")
  if (process.env.TEST_EXECUTABLE !== "1") skip("needs the executable: npm test builds it")
  expect(await ask("hello", "mock", { binaryPath: executable })).toBe("hello")
})
