import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { gone, until } from "../supervisor/processes.ts"
import { cli, type SpawnOptions, startCli } from "./spawn.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(() => daemon.stop())

const env = () => ({ SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token })
const run = (args: string[], options: SpawnOptions = {}) =>
  cli(["processes", "run", ...args], { ...options, env: env() })

test("`processes run -- npm test` is npm test: its output, its folder, its exit code", async () => {
  const project = realpathSync(scratch())
  const script = "echo out; echo err >&2; pwd; exit 5"
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "p", scripts: { test: script } }))
  const { code, stdout, stderr } = await run(["--", "npm", "test", "--silent"], { cwd: project })
  expect([code, stdout]).toEqual([5, `out\n${project}\n`])
  expect(stderr).toMatch(/^err$/m)
})

test("output comes as it is written, bytes as they are", async () => {
  const seen = join(realpathSync(scratch()), "seen")
  const script = `printf '\\001\\377one'; until [ -e ${seen} ]; do sleep 0.02; done; echo two`
  const child = startCli(["processes", "run", "--shell", script], { env: env() })
  const reader = child.stdout.getReader()
  let output = Buffer.alloc(0)
  for (let done = false; !done; ) {
    const chunk = await reader.read()
    done = chunk.done
    output = Buffer.concat([output, chunk.value ?? new Uint8Array()])
    // It goes on when what it has written so far is here, and not before.
    if (output.toString("latin1") === "\x01\xffone") writeFileSync(seen, "")
  }
  expect(output.toString("latin1")).toBe("\x01\xffonetwo\n")
  expect(await child.exited).toBe(0)
})

test("a shell line, variables, input, a time limit, a signal", async () => {
  expect(await run(["--shell", "echo $A | tr a-z A-Z", "--env", "A=x"])).toMatchObject({ code: 0, stdout: "X\n" })
  expect(await run(["--stdin", "-", "--", "wc", "-c"], { stdin: "12345" })).toMatchObject({ code: 0, stdout: "5\n" })
  expect(await run(["--timeout-ms", "200", "--", "sleep", "1000"])).toMatchObject({ code: 124 })
  expect(await run(["--shell", "kill -KILL $$"])).toMatchObject({ code: 137, stderr: expect.stringMatching(/SIGKILL/) })
  expect(await run(["--", "no-such-program-here"])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no program/),
  })
  const { stdout } = await run(["--json", "--", "echo", "hi"])
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, stdout: "hi\n" })
})

test("Ctrl-C ends the program with the command", async () => {
  const folder = scratch()
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "pid")
  writeFileSync(file, "")
  const child = startCli(["processes", "run", "--shell", `echo $$ > ${file}; sleep 1000`], { env: env() })
  await until(() => readFileSync(file, "utf8") !== "", "the start of the program")
  child.kill("SIGINT")
  expect(await child.exited).toBe(130)
  await gone(Number(readFileSync(file, "utf8")))
})

test("a process is started, written to, followed and ended", async () => {
  const here = (...args: string[]) => cli(["processes", ...args], { env: env() })
  const started = await here("start", "--json", "--", "sh", "-c", "read word; echo got $word; echo err >&2; read word")
  const { id } = JSON.parse(started.stdout)
  expect((await here("list")).stdout).toContain(id)
  expect((await here("input", id, "hello")).code).toBe(0)
  const following = here("logs", id, "--follow")
  // Two pipes, of which either may be read first.
  await expect.poll(() => here("logs", id)).toMatchObject({ code: 0, stdout: "got hello\n", stderr: "err\n" })
  expect(JSON.parse((await here("logs", id, "--json", "--tail", "1")).stdout).entries).toHaveLength(1)
  expect((await here("delete", id)).code).toBe(5)
  expect((await here("kill", id)).stdout).toBe(`${id} ended by SIGKILL\n`)
  expect(await following).toMatchObject({ code: 0, stdout: "got hello\n", stderr: "err\n" })
  expect(await here("delete", id)).toEqual({ code: 0, stdout: `deleted ${id}\n`, stderr: "" })
})
