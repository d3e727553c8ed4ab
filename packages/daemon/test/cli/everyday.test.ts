import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { cli, temporaryFolder } from "./spawn.ts"
import { atTerminal } from "./terminal.ts"

test("a failed turn is exit code 1, an interrupted one 130, a good one 0", async () => {
  await using daemon = await startDaemon()
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  await daemon.api.create("s")
  const send = async (message: string, ...flags: string[]) =>
    (await cli(["sessions", "stream-message", "s", message, ...flags], { env })).code
  expect(await send("hello")).toBe(0)
  expect(await send("/error boom")).toBe(1)
  expect(await send("/error boom", "--json")).toBe(1)
  expect(await send("/crash 3")).toBe(1)
  expect(await send("after it")).toBe(0)
})

test("a session begins where the caller stands, or in a folder relative to that", async () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, "inner"))
  await using daemon = await startDaemon()
  const options = { cwd: folder.path, env: { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token } }
  const directoryOf = async (id: string) => (await daemon.api.session(id)).directory
  expect((await cli(["sessions", "create", "here", "--agent", "mock"], options)).code).toBe(0)
  expect((await cli(["sessions", "create", "inner", "--agent", "mock", "--directory", "inner"], options)).code).toBe(0)
  expect([await directoryOf("here"), await directoryOf("inner")]).toEqual([folder.path, join(folder.path, "inner")])
  const missing = await cli(["sessions", "create", "no", "--agent", "mock", "--directory", "nowhere"], options)
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining(join(folder.path, "nowhere"))])
  const mcp = ["config", "set-mcp", "m", "--type", "local", "--command", "true"]
  const stored = `stored MCP server m for new sessions in ${folder.path}\n`
  expect(await cli(mcp, options)).toEqual({ code: 0, stdout: stored, stderr: "" })
  const kept = await daemon.api.ok("GET", `/v1/config/mcp?directory=${encodeURIComponent(folder.path)}&mcpName=m`)
  expect(kept).toMatchObject({ command: "true" })
  const listed = await cli(["config", "get-mcp"], options)
  expect(listed.stdout).toBe('m\t{"type":"local","command":"true"}\n')
})

test("a file that is put onto a folder goes into it under its own name", async () => {
  using folder = temporaryFolder()
  await using daemon = await startDaemon()
  const options = { cwd: folder.path, env: { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token } }
  mkdirSync(join(folder.path, "there"))
  writeFileSync(join(folder.path, "note.txt"), "words")
  for (const to of ["there", "there/other.txt", "there/"]) {
    expect(await cli(["fs", "put", "note.txt", join(folder.path, to)], options)).toMatchObject({ code: 0, stderr: "" })
  }
  expect(readdirSync(join(folder.path, "there"))).toEqual(["note.txt", "other.txt"])
  const copied = await cli(["fs", "cp", join(folder.path, "note.txt"), join(folder.path, "again.txt")], options)
  expect(copied.stdout).toBe(`copied ${join(folder.path, "note.txt")} to ${join(folder.path, "again.txt")}\n`)
  expect([copied.code, readFileSync(join(folder.path, "again.txt"), "utf8")]).toEqual([0, "words"])
})

test("a request is answered without its id while it is the only one", async () => {
  await using daemon = await startDaemon()
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  const run = (...words: string[]) => cli(["sessions", ...words], { env })
  const { api } = daemon
  await api.create("s")
  const none = await run("reply-permission", "s", "once")
  expect([none.code, none.stderr]).toEqual([4, expect.stringContaining("no permission is open in s")])
  await api.send("s", "/permission echo one")
  await api.until("s", "permission.requested")
  expect((await run("reply-permission", "s", "once")).code).toBe(0)
  await api.until("s", "turn.ended")
  await api.send("s", "/question")
  await api.until("s", "question.requested")
  const answered = await run("reply-question", "s", "Blue")
  expect([answered.code, answered.stderr]).toEqual([0, ""])
  expect((await api.until("s", "question.resolved")).data.answers).toEqual([["Blue"]])
  await api.send("s", "/question")
  await api.until("s", "question.requested", ({ sequence }) => sequence > 20)
  expect((await run("reject-question", "s")).code).toBe(0)
})

test("an agent that is not named is that of --default-agent: over REST, and in `run`", async () => {
  using folder = temporaryFolder()
  await using daemon = await startDaemon({ flags: ["--default-agent", "mock"] })
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  expect((await cli(["sessions", "create", "s"], { env })).code).toBe(0)
  expect(await daemon.api.session("s")).toMatchObject({ agent: "mock" })
  const own = { SANDBOX_AGENT_DATA_DIR: folder.path, SANDBOX_AGENT_DEFAULT_AGENT: "mock" }
  expect(await cli(["run", "hello there"], { env: own })).toMatchObject({ code: 0, stdout: "hello there\n" })
  const without = await cli(["run", "hello there"])
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining("missing <agent>")])
  await using other = await startDaemon()
  const refused = await other.api.call("POST", "/v1/sessions", {})
  expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining("there are claude, ") } })
})

test("`agents install` is `install-agent`; of another daemon it is that one that installs", async () => {
  using folder = temporaryFolder()
  const local = await cli(["agents", "install", "mock", "--data-dir", folder.path])
  expect([local.code, local.stdout.split("\t")[0]]).toEqual([0, "mock"])
  await using daemon = await startDaemon()
  const there = ["--endpoint", daemon.url, "--token", daemon.token]
  const done = await cli(["install-agent", "mock", "--json", ...there])
  expect([done.code, JSON.parse(done.stdout)]).toMatchObject([
    0,
    { type: "install.done", agent: "mock", installed: true },
  ])
  const unknown = await cli(["install-agent", "mokc", ...there])
  expect([unknown.code, unknown.stdout]).toEqual([2, ""])
})

test("`daemon open` starts a browser on a page that signs in once, and only prints where there is none", async () => {
  using folder = temporaryFolder()
  const data = join(folder.path, "data")
  mkdirSync(data)
  await using daemon = await startDaemon({ dataDir: data })
  const opened = join(folder.path, "opened")
  const browser = join(folder.path, "browser")
  writeFileSync(
    browser,
    `#!/bin/sh\necho "$1" > ${opened}.new && cat "$1" >> ${opened}.new && mv ${opened}.new ${opened}\n`,
  )
  chmodSync(browser, 0o755)
  const { code, screen } = await atTerminal(["daemon", "open"], [], data, { BROWSER: browser })
  expect([code, screen]).toEqual([0, expect.stringContaining(`opened with ${browser}`)])
  while (!(await Bun.file(opened).exists())) await Bun.sleep(10)
  const [argument, page] = readFileSync(opened, "utf8").split("\n")
  expect(argument).toBe(join(data, "open.html"))
  const ticket = /url=\S+\/ui\/#ticket=([\w-]+)"/.exec(page ?? "")?.[1]
  const redeem = () =>
    fetch(`${daemon.url}/v1/tickets/redeem`, {
      method: "POST",
      body: JSON.stringify({ ticket }),
      headers: { "content-type": "application/json" },
    })
  expect(await (await redeem()).json()).toEqual({ token: daemon.token })
  expect((await redeem()).status).toBe(404)
  const piped = await cli(["daemon", "open", "--data-dir", data], { env: { BROWSER: browser } })
  expect([piped.code, piped.stderr]).toEqual([0, ""])
  expect(piped.stdout.trim()).toMatch(new RegExp(`^${daemon.url}/ui/#ticket=`))
  expect(await cli(["daemon", "open", "--data-dir", folder.path])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("not running"),
  })
})
