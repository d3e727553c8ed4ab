import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { FromAgent, ToAgent } from "../../../src/drivers/mock/protocol.ts"
import { untilGone } from "./processes.ts"
import { launcher, program, temporaryFolder } from "./session.ts"

/** The agent program alone, without driver and supervisor. */
function startProgram(...flags: string[]) {
  const [command = "", ...args] = launcher
  const home = temporaryFolder()
  const child = spawn(command, [...args, "--session", "s", "--home", home, ...flags])
  onTestFinished(() => void child.kill("SIGKILL"))
  const seen = { out: "", err: "" }
  child.stderr.on("data", (chunk) => {
    seen.err += chunk
  })
  const exit = once(child, "close").then(([code]) => code as number)
  const read = () =>
    child.stdout.on("data", (chunk) => {
      seen.out += chunk
    })
  return { child, home, seen, exit, read }
}

const say = (child: ChildProcessWithoutNullStreams, ...lines: ToAgent[]) =>
  child.stdin.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
const prompt = (text: string): ToAgent => ({ type: "prompt", message: { id: "m", text, attachments: [] } })
const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as FromAgent)

test("imports nothing but its own files and node built-ins", () => {
  const seen = new Set<string>()
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    const { imports } = new Bun.Transpiler({ loader: "ts" }).scan(readFileSync(file, "utf8"))
    for (const { path } of imports) {
      expect(path, `import in ${file}`).toMatch(/^(node:|\.)/)
      if (path.startsWith(".")) visit(join(dirname(file), path))
    }
  }
  visit(program)
  expect(seen.size).toBeGreaterThan(10)
  const others = [...seen].filter((file) => !file.includes("/drivers/mock/"))
  expect(others.map((file) => basename(file))).toEqual(["unified-diff.ts"])
})

test("is ready at once and leaves with code 0 when its input ends", async () => {
  const { child, seen, exit, read } = startProgram()
  read()
  await once(child.stdout, "data")
  child.stdin.end()
  expect(await exit).toBe(0)
  expect(linesOf(seen.out)).toMatchObject([{ type: "ready", durable: false }])
  expect(seen.err).toBe("")
})

test.each(["not json", "null", '{"type":"novelty"}'])("a malformed line of input ends it: %s", async (line) => {
  const { child, seen, exit, read } = startProgram()
  read()
  child.stdin.write(`${line}\n`)
  expect(await exit).toBe(1)
  expect(seen.err).toMatch(/^mock-agent: .+\n$/)
})

test.each([["--home"], ["stray", "x"]])("a bad argument ends it: %s", async (...flags) => {
  const { seen, exit, read } = startProgram(...flags)
  read()
  expect(await exit).toBe(1)
  expect(seen.err).toContain("mock-agent: Bad argument")
  expect(seen.out).toBe("")
})

test("the end of input in a running turn cancels it and takes its command along", async () => {
  const { child, seen, exit, read } = startProgram("--permission-mode", "bypass")
  read()
  say(child, prompt("/run echo $$; exec sleep 1000"))
  const pid = await new Promise<number>((resolve) => {
    child.stdout.on("data", () => {
      const match = /"text":"(\d+)\\n"/.exec(seen.out)
      if (match) resolve(Number(match[1]))
    })
  })
  child.stdin.end()
  expect(await exit).toBe(0)
  expect(linesOf(seen.out).at(-1)).toMatchObject({ type: "turn_end", stop: "cancelled" })
  await untilGone(pid)
})

test("hears an interrupt while nobody reads its output", async () => {
  const { child, home, seen, exit, read } = startProgram()
  say(child, prompt("/stream 1000000000"))
  const folder = join(home, "sessions")
  const records = () =>
    (existsSync(folder) ? readdirSync(folder) : []).map((file) => readFileSync(join(folder, file), "utf8")).join("")
  await expect.poll(records).toContain('"user"')
  say(child, { type: "interrupt", request: 1 })
  // Its output is stuck, so what it wrote to disk tells that the turn ended.
  await expect.poll(records).toContain('"turn_end"')
  read()
  child.stdin.end()
  expect(await exit).toBe(0)
  expect(linesOf(seen.out).slice(-2)).toMatchObject([
    { type: "turn_end", stop: "cancelled" },
    { type: "reply", request: 1 },
  ])
})

test("does not outlive a reader that went away", async () => {
  const { child, exit } = startProgram()
  await once(child.stdout, "readable")
  child.stdout.destroy()
  say(child, prompt("/stream 1000000000"))
  expect(await exit).toBe(1)
})

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("%s ends it politely", async (signal, code) => {
  const { child, seen, exit, read } = startProgram()
  read()
  say(child, prompt("/sleep 100000"))
  await new Promise<void>((resolve) => child.stdout.on("data", () => seen.out.includes('"status"') && resolve()))
  child.kill(signal)
  expect(await exit).toBe(code)
  expect(linesOf(seen.out).at(-1)).toMatchObject({ type: "turn_end", stop: "cancelled" })
})
