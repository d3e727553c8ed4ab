import { scriptedAgents } from "@sandbox-agent/conformance/agents/scripted"
import type { Report } from "@sandbox-agent/conformance/report"
import { expect, test } from "vitest"
import { ownCommands } from "../../src/cli/commands.ts"
import { cli, temporaryFolder } from "./spawn.ts"

test("the mock meets the suite on a daemon of its own, which is gone afterwards", async () => {
  using folder = temporaryFolder()
  const env = { TMPDIR: folder.path }
  const { code, stdout, stderr } = await cli(["conformance", "mock", "--json"], { env })
  const { agent, results } = JSON.parse(stdout) as Report
  expect([code, agent, stderr]).toEqual([0, "mock", ""])
  expect(results.filter(({ status }) => status === "failed")).toEqual([])
  expect(results.find(({ requirement }) => requirement === "resume.daemon")?.status).toBe("passed")
  const left = [...new Bun.Glob("sandbox-agent-conformance-*").scanSync({ cwd: folder.path, onlyFiles: false })]
  expect(left).toEqual([])
})

test("the mock meets it over the ACP face too; another face is refused", async () => {
  using folder = temporaryFolder()
  const { code, stdout } = await cli(["conformance", "mock", "--json", "--face", "acp"], {
    env: { TMPDIR: folder.path },
  })
  const { results } = JSON.parse(stdout) as Report
  expect(results.filter(({ status }) => status === "failed")).toEqual([])
  expect([code, results.find(({ requirement }) => requirement === "question.several")?.status]).toEqual([0, "passed"])
  const unknown = await cli(["conformance", "mock", "--face", "rest"])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("universal or acp")])
})

test("an agent that cannot be checked is told, with those that can", async () => {
  const unknown = await cli(["conformance", "moc"])
  expect(unknown.code).not.toBe(0)
  expect(unknown.stderr).toMatch(/claude, .*mock.*mean.*mock/s)
  expect((await cli(["conformance", "mock", "--live"])).stderr).toContain("cannot be checked live")
  expect((await cli(["conformance"])).code).toBe(2)
})

test("the help names every agent there are acts for", () => {
  const [agent] = ownCommands.find(({ words }) => words[0] === "conformance")?.arguments ?? []
  expect(agent?.values).toEqual(Object.keys(scriptedAgents))
})
