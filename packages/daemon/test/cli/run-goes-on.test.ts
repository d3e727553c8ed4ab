import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { fakeDaemon, problem } from "./fake-daemon.ts"
import { cli, temporaryFolder } from "./spawn.ts"

let daemon: TestDaemon
const folder = temporaryFolder()

beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** A folder of its own, so that what is said in it is of one test. */
function place(name: string) {
  const cwd = join(folder.path, name)
  mkdirSync(cwd)
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  return { cwd, run: (...words: string[]) => cli(["run", ...words], { cwd, env }) }
}

const said = async (id: string): Promise<string[]> =>
  (await daemon.api.items(id)).items
    .filter((item) => item.role === "user")
    .map((item) => item.content.map((part) => ("text" in part ? part.text : "")).join(""))

test("--continue takes the session that was used last, not the one that began last", async () => {
  const { run } = place("used")
  await run("mock", "one", "--session", "older")
  await run("mock", "two", "--session", "newer")
  await run("three", "--session", "older")
  expect(await run("-c", "four")).toMatchObject({ code: 0, stdout: "four\n" })
  expect(await said("older")).toEqual(["one", "three", "four"])
  expect(await said("newer")).toEqual(["two"])
})

test("--continue finds it behind more sessions than a page has", async () => {
  const { cwd } = place("pages")
  const page = (id: string, updatedAt: string, more: object) => ({
    sessions: [{ id, updatedAt, directory: cwd, status: "idle", agent: "mock" }],
    ...more,
  })
  await using other = fakeDaemon(({ path }) =>
    path.includes("/messages/stream")
      ? problem("conflict", `sent to ${path.split("/")[3]}`)
      : Response.json(
          path.includes("cursor=2")
            ? page("older", "2026-02-02", {})
            : page("newer", "2026-01-01", { nextCursor: "2" }),
        ),
  )
  const ended = await cli(["run", "-c", "two"], { cwd, env: { SANDBOX_AGENT_URL: other.url } })
  expect(ended.stderr).toContain("sent to older")
})

test("a session of another agent is refused, by its name and by --continue", async () => {
  const { cwd, run } = place("agents")
  await run("mock", "one", "--session", "of-mock")
  const named = await run("claude", "two", "--session", "of-mock")
  expect(named).toEqual({
    code: 5,
    stdout: "",
    stderr:
      "error: session of-mock is one of mock, not of claude\nhint: leave the agent out, choose another --session, or let claude go on from there: `sandbox-agent sessions fork of-mock NEW-ID --agent claude`\n",
  })
  const last = await run("claude", "two", "--continue")
  expect([last.code, last.stdout]).toEqual([4, ""])
  expect(last.stderr).toContain(`error: there is no session of claude in ${cwd} to go on with`)
  expect(await said("of-mock")).toEqual(["one"])
})

test("what a session has had from its beginning is refused, what can change is set", async () => {
  const { run } = place("settings")
  await run("mock", "one", "--session", "set")
  for (const words of [
    ["--env", "A=b"],
    ["--system-prompt", "be brief"],
    ["--mcp", "{}"],
  ]) {
    const ended = await run("two", "--session", "set", ...words)
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(`${words[0]} counts when a session begins`)])
  }
  const moved = await run("two", "--session", "set", "--directory", "/usr")
  expect([moved.code, moved.stderr]).toEqual([2, expect.stringContaining("--directory: session set works in")])
  const allowed = await run("/permission echo done", "--session", "set", "--permission-mode", "bypass")
  expect(allowed).toMatchObject({ code: 0, stderr: "" })
  expect(allowed.stdout).toContain("[output] done")
  expect((await daemon.api.session("set")).permissionMode).toBe("bypass")
})
