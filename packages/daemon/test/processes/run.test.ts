import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "../api/checked-api.ts"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { sseEvents } from "../harness/sse.ts"
import { gone, lives } from "../supervisor/processes.ts"

interface Ran {
  exitCode: number | null
  signal: string | null
  timedOut: boolean
  durationMs: number
  stdout: string
  stderr: string
  stdoutTruncated: boolean
  stdoutBytes: number
  stdoutOmitted?: { offset: number; bytes: number }
}

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())
const run = (body: object) => daemon.api.ok<Ran>("POST", "/v1/processes/run", body)
const refused = (body: object) => daemon.api.call("POST", "/v1/processes/run", body)

describe("a run", () => {
  test("tells output, exit code and duration", async () => {
    const ran = await run({ command: "sh", args: ["-c", "echo out; echo err >&2; exit 3"] })
    expect(ran).toMatchObject({ exitCode: 3, signal: null, timedOut: false, stdout: "out\n", stderr: "err\n" })
    expect(ran.durationMs).toBeGreaterThanOrEqual(0)
  })

  test("takes a line for the shell in place of words", async () => {
    expect(await run({ shell: "printf 'a b' | wc -c" })).toMatchObject({ exitCode: 0, stdout: "3\n" })
    expect(await run({ command: "printf", args: ["%s|", "a b", "$HOME", "; ls"] })).toMatchObject({
      stdout: "a b|$HOME|; ls|",
    })
  })

  test("is given its input whole, and an empty one without any", async () => {
    expect(await run({ command: "wc", args: ["-c"], stdin: "æøå" })).toMatchObject({ stdout: "6\n" })
    const bytes = Buffer.from([0, 255, 10, 128])
    const echoed = { stdin: bytes.toString("base64"), stdinEncoding: "base64", encoding: "base64" }
    expect(await run({ command: "cat", ...echoed })).toMatchObject({ stdout: bytes.toString("base64") })
    expect(await run({ command: "cat" })).toMatchObject({ exitCode: 0, stdout: "" })
    expect(await run({ command: "head", args: ["-c", "2"], stdin: "x".repeat(1_000_000) })).toMatchObject({
      stdout: "xx",
    })
    expect((await refused({ command: "cat", stdin: "%%%", stdinEncoding: "base64" })).status).toBe(400)
  })

  test("sees what it is given of the environment, and nothing of the daemon's own", async () => {
    const { stdout } = await run({ command: "env", env: { COLOUR: "red" } })
    expect(stdout).toMatch(/^COLOUR=red$/m)
    expect(stdout).toMatch(/^PATH=/m)
    expect(stdout).not.toMatch(/SANDBOX_AGENT_TOKEN/)
  })

  test("works where it is told to, or in the directory of a session", async () => {
    const folder = realpathSync(scratch())
    mkdirSync(join(folder, "below"))
    expect(await run({ command: "pwd", cwd: folder })).toMatchObject({ stdout: `${folder}\n` })
    await daemon.api.create("here", { directory: folder })
    expect(await run({ command: "pwd", sessionId: "here" })).toMatchObject({ stdout: `${folder}\n` })
    expect(await run({ command: "pwd", sessionId: "here", cwd: "below" })).toMatchObject({
      stdout: `${folder}/below\n`,
    })
    expect((await refused({ command: "pwd", cwd: "below" })).status).toBe(400)
    expect((await refused({ command: "pwd", cwd: join(folder, "none") })).status).toBe(400)
    expect((await refused({ command: "pwd", sessionId: "nobody" })).status).toBe(404)
  })

  test("that takes too long is killed with all it started", async () => {
    const file = join(scratch(), "pids")
    const script = `setsid sleep 1000 & echo $! > ${file}; sleep 1000 & echo $! >> ${file}; echo begun; wait`
    const pids = () => readFileSync(file, "utf8").split("\n").slice(0, -1).map(Number)
    // How long a machine takes to start all of it is its own affair: the time is long enough when it has begun.
    for (let timeoutMs = 500, begun = false; !begun; timeoutMs *= 2) {
      writeFileSync(file, "")
      const ran = await run({ shell: script, timeoutMs })
      begun = ran.stdout === "begun\n"
      expect(ran).toMatchObject({ exitCode: null, timedOut: true, stdout: begun ? "begun\n" : "" })
      for (const pid of pids()) await gone(pid)
    }
    expect(pids()).toHaveLength(2)
  })

  test("that ends leaves nothing behind", async () => {
    const { stdout } = await run({ shell: "sleep 1000 & echo $!; setsid sleep 1000 & echo $!; exit 0" })
    const pids = stdout.trim().split("\n").map(Number)
    expect(pids.length).toBe(2)
    for (const pid of pids) await gone(pid)
  })

  test("that a signal ends tells which", async () => {
    expect(await run({ shell: "kill -TERM $$" })).toMatchObject({ exitCode: null, signal: "SIGTERM", timedOut: false })
  })

  test("keeps the beginning and the end of long output, and tells the gap", async () => {
    const ran = await run({ shell: "seq 1 100000", maxOutputBytes: 40 })
    expect(ran.stdout).toMatch(/^1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n?\n\[588855 bytes left out\]\n[\s\S]*99999\n100000\n$/)
    expect(ran).toMatchObject({
      stdoutTruncated: true,
      stdoutBytes: 588_895,
      stdoutOmitted: { offset: 20, bytes: 588_855 },
      stderrTruncated: false,
    })
    // No character is cut in two.
    const accents = await run({ shell: "for i in $(seq 100); do printf 'é€😀'; done", maxOutputBytes: 33 })
    expect(accents.stdout).not.toContain("\ufffd")
    expect(accents.stdoutTruncated).toBe(true)
  })

  test("that cannot begin is refused with the reason", async () => {
    const plain = join(scratch(), "plain")
    writeFileSync(plain, "#!/bin/sh\n", { mode: 0o644 })
    for (const [body, why] of [
      [{ command: "no-such-program-here" }, /no program/],
      [{ command: plain }, /not executable/],
      [{}, /either command or shell/],
      [{ command: "a", shell: "b" }, /either command or shell/],
      [{ shell: "b", args: ["c"] }, /args belong to command/],
      [{ command: "a\0b" }, /NUL/],
    ] as const) {
      const { status, body: problem } = await refused(body)
      expect([status, String((problem as { detail: string }).detail)]).toEqual([400, expect.stringMatching(why)])
    }
  })

  test("is ended when its client leaves", async () => {
    const file = join(scratch(), "pid")
    writeFileSync(file, "")
    const { url, api } = daemon
    const controller = new AbortController()
    const body = JSON.stringify({ shell: `echo $$ > ${file}; sleep 1000` })
    const headers = { ...api.headers, "content-type": "application/json" }
    const left = fetch(`${url}/v1/processes/run`, { method: "POST", headers, body, signal: controller.signal })
    const pid = await written(file)
    expect(lives(pid)).toBe(true)
    controller.abort()
    await expect(left).rejects.toThrow()
    await gone(pid)
  })
})

describe("a run as a stream", () => {
  const stream = (body: object) =>
    fetch(`${daemon.url}/v1/processes/run`, {
      method: "POST",
      headers: { ...daemon.api.headers, "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify(body),
    })

  test("gives output as it comes, both kinds in the order of their coming, then the end", async () => {
    // Each waits until the one before was read: what lies in two pipes at once has no order.
    const read = join(scratch(), "read")
    const waits = (count: number) => `until [ -e ${read}-${count} ]; do sleep 0.02; done`
    const response = await stream({ shell: `echo one; ${waits(1)}; echo two >&2; ${waits(2)}; echo three; exit 7` })
    const frames = []
    for await (const frame of sseEvents(response)) {
      frames.push(frame)
      writeFileSync(`${read}-${frames.length}`, "")
    }
    const logs = frames.filter(({ event }) => event === "log").map(({ data }) => JSON.parse(data))
    expect(logs.map(({ stream, data }) => [stream, Buffer.from(data, "base64").toString()])).toEqual([
      ["stdout", "one\n"],
      ["stderr", "two\n"],
      ["stdout", "three\n"],
    ])
    expect(JSON.parse(frames.at(-1)?.data ?? "")).toMatchObject({ exitCode: 7, signal: null, timedOut: false })
    expect(frames.at(-1)?.event).toBe("exit")
  })

  test("is refused as a problem when it cannot begin", async () => {
    const response = await stream({ command: "no-such-program-here" })
    expect([response.status, response.headers.get("content-type")]).toEqual([400, "application/problem+json"])
  })

  test("halts its program while nobody takes anything, and loses nothing", async () => {
    const response = await stream({ shell: "head -c 30000000 /dev/zero; echo done >&2" })
    let bytes = 0
    let said = ""
    for await (const { event, data } of sseEvents(response)) {
      if (event !== "log") continue
      const entry = JSON.parse(data)
      if (entry.stream === "stdout") bytes += Buffer.from(entry.data, "base64").length
      else said += Buffer.from(entry.data, "base64").toString()
    }
    expect([bytes, said]).toEqual([30_000_000, "done\n"])
  })
})

test("a run is confined by --fs-root", async () => {
  const inside = realpathSync(scratch())
  await using confined = await startDaemon({ flags: ["--fs-root", inside], cwd: inside })
  const { api } = confined
  expect((await api.call("POST", "/v1/processes/run", { command: "pwd", cwd: inside })).status).toBe(200)
  expect((await api.call("POST", "/v1/processes/run", { command: "pwd", cwd: "/" })).status).toBe(403)
})

/** The pid in a file, as soon as it stands there. */
async function written(file: string): Promise<number> {
  for (;;) {
    const pid = Number(readFileSync(file, "utf8"))
    if (pid > 0) return pid
    await Bun.sleep(10)
  }
}
