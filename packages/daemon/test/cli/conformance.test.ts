import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { suiteAgents } from "@sandbox-agent/conformance/agents/scripted"
import type { Report } from "@sandbox-agent/conformance/report"
import { capabilityNames } from "@sandbox-agent/schema/agent"
import { full } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { builtinCommands } from "../../src/cli/commands.ts"
import { cli, temporaryFolder } from "./spawn.ts"

const obedient = fileURLToPath(new URL("./echo-agent.ts", import.meta.url))

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

test.skipIf(!full)("the mock meets it over the ACP face too", async () => {
  using folder = temporaryFolder()
  const { code, stdout } = await cli(["conformance", "mock", "--json", "--face", "acp"], {
    env: { TMPDIR: folder.path },
  })
  const { results } = JSON.parse(stdout) as Report
  expect(results.filter(({ status }) => status === "failed")).toEqual([])
  expect([code, results.find(({ requirement }) => requirement === "question.several")?.status]).toEqual([0, "passed"])
})

test("a face that there is not is refused", async () => {
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

test("an agent that a user added is checked live, for what it declares; without a script there is no other way", async () => {
  using folder = temporaryFolder()
  const data = ["--data-dir", folder.path]
  const can = ["textMessages", "streamingDeltas", "itemStarted", "sessionLifecycle"]
  const capabilities = Object.fromEntries(capabilityNames.map((name) => [name, can.includes(name)]))
  const program = join(folder.path, "mine")
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} --no-env-file ${obedient} "$@"\n`)
  chmodSync(program, 0o755)
  const _meta = { "sandboxagent.dev": { capabilities } }
  const entry = { id: "mine", name: "Mine", distribution: { command: { cmd: program } }, _meta }
  expect((await cli(["agents", "add", ...data, JSON.stringify(entry)])).code).toBe(0)
  const scripted = await cli(["conformance", "mine", ...data])
  expect(scripted).toMatchObject({ code: 2, stderr: expect.stringContaining("conformance mine --live") })
  const env = { TMPDIR: folder.path }
  const { stdout, stderr } = await cli(["conformance", "mine", "--live", "--json", ...data], { env })
  expect(stderr).toBe("")
  const { agent, results } = JSON.parse(stdout) as Report
  expect(results.filter(({ status }) => status === "failed")).toEqual([])
  const of = (name: string) => results.find(({ scenario }) => scenario === name)
  expect([agent, of("text is answered with deltas that add up")?.status]).toEqual(["mine", "passed"])
  expect(of("turns follow each other in one session")?.status).toBe("passed")
  expect(of("a permission given once lets the command run once")).toMatchObject({
    status: "skipped",
    reason: expect.stringContaining("does not declare: "),
  })
}, 300_000)

test("the help names every agent there are acts for", () => {
  const [agent] = builtinCommands.find(({ words }) => words[0] === "conformance")?.arguments ?? []
  expect(agent?.values).toEqual(Object.keys(suiteAgents))
})
