import { processLimits } from "@sandbox-agent/schema/limits"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(() => daemon.stop())

const run = (body: object) => daemon.api.call<Record<string, unknown>>("POST", "/v1/processes/run", body)
const config = () => daemon.api.ok<Record<string, number>>("GET", "/v1/processes/config")
const configure = (change: object) =>
  config().then((now) => daemon.api.call<Record<string, number>>("POST", "/v1/processes/config", { ...now, ...change }))

/** With other bounds for the time of a test. */
async function withConfig(change: object, work: () => Promise<void>): Promise<void> {
  const before = await config()
  expect((await configure(change)).status).toBe(200)
  try {
    await work()
  } finally {
    await configure(before)
  }
}

test("the bounds are what they are said to be", async () => {
  expect(await config()).toEqual({
    maxConcurrentProcesses: processLimits.concurrent,
    defaultRunTimeoutMs: processLimits.runMs,
    maxRunTimeoutMs: processLimits.longestRunMs,
    maxOutputBytes: processLimits.outputBytes,
    maxLogBytesPerProcess: processLimits.logBytes,
    maxInputBytesPerRequest: processLimits.inputBytes,
  })
})

test("concurrent: one run more than may be at once is a conflict, and those there are go on", async () => {
  await withConfig({ maxConcurrentProcesses: 2 }, async () => {
    const long = [1, 2].map(() => run({ shell: "read line; echo $line", stdin: "x", timeoutMs: 60_000 }))
    const held = [1, 2].map(() => run({ command: "sleep", args: ["1"] }))
    const answers = await Promise.all([...long, ...held, run({ command: "true" })])
    const codes = answers.map(({ status }) => status)
    expect(codes.filter((status) => status === 409).length).toBeGreaterThan(0)
    expect(codes.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2)
    expect((await run({ command: "true" })).status).toBe(200)
  })
})

test("runMs: a run that names no time is ended after the default one", async () => {
  await withConfig({ defaultRunTimeoutMs: 300 }, async () => {
    expect((await run({ command: "sleep", args: ["1000"] })).body).toMatchObject({ timedOut: true, exitCode: null })
  })
})

test("longestRunMs: a longer time is refused, with the bound", async () => {
  const { status, body } = await run({ command: "true", timeoutMs: processLimits.longestRunMs + 1 })
  expect([status, body.limit]).toEqual([400, processLimits.longestRunMs])
})

test("outputBytes: more is not kept, and more may not be asked for", async () => {
  const bytes = 3 * processLimits.outputBytes
  const { body } = await run({ shell: `head -c ${bytes} /dev/zero | tr '\\0' x` })
  expect(body).toMatchObject({
    stdoutTruncated: true,
    stdoutBytes: bytes,
    stdoutOmitted: { offset: processLimits.outputBytes / 2, bytes: bytes - processLimits.outputBytes },
  })
  expect(String(body.stdout).length).toBeLessThan(processLimits.outputBytes + 100)
  const more = await run({ command: "true", maxOutputBytes: processLimits.outputBytes + 1 })
  expect([more.status, more.body.limit]).toEqual([400, processLimits.outputBytes])
})

test("arguments: one word more is refused", async () => {
  const args = Array<string>(processLimits.arguments).fill("x")
  expect((await run({ command: "true", args })).status).toBe(200)
  expect((await run({ command: "true", args: [...args, "x"] })).status).toBe(400)
})

test("mostConcurrent, mostRunMs, mostOutputBytes, mostLogBytes, leastLogBytes, mostInputBytes: no bound may be set beyond these", async () => {
  for (const change of [
    { maxConcurrentProcesses: processLimits.mostConcurrent + 1 },
    { maxRunTimeoutMs: processLimits.mostRunMs + 1 },
    { maxOutputBytes: processLimits.mostOutputBytes + 1 },
    { maxLogBytesPerProcess: processLimits.mostLogBytes + 1 },
    { maxLogBytesPerProcess: processLimits.leastLogBytes - 1 },
    { maxInputBytesPerRequest: processLimits.mostInputBytes + 1 },
    { maxOutputBytes: 0 },
  ])
    expect([change, (await configure(change)).status]).toEqual([change, 400])
  await withConfig({ maxRunTimeoutMs: 5_000, defaultRunTimeoutMs: 9_000 }, async () => {
    expect(await config()).toMatchObject({ maxRunTimeoutMs: 5_000, defaultRunTimeoutMs: 5_000 })
  })
})
