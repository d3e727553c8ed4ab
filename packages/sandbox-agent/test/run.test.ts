import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunOutput, SandboxAgentClient } from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { isAlive } from "./harness/executable.ts"

let daemon: TestDaemon
let client: SandboxAgentClient
beforeAll(async () => {
  daemon = await TestDaemon.start()
  client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
})
afterAll(() => daemon[Symbol.asyncDispose]())

const exit = { exitCode: 0, signal: null, timedOut: false }

test("a line of the shell, with what it writes and how it ended", async () => {
  const result = await client.run("echo out; echo err >&2; exit 3")
  expect(result).toEqual({ ...exit, exitCode: 3, stdout: "out\n", stderr: "err\n" })
})

test("output comes while the program runs", async () => {
  const gate = join(daemon.home, "gate")
  const heard: string[] = []
  const result = await client.run(`echo ready; echo side >&2; while [ ! -e ${gate} ]; do sleep 0.05; done; echo over`, {
    onStdout: (text) => {
      heard.push(text)
      // It ends only when this was heard.
      writeFileSync(gate, "")
    },
    onStderr: (text) => {
      heard.push(text)
    },
  })
  expect(result).toMatchObject({ exitCode: 0, stdout: "ready\nover\n", stderr: "side\n" })
  expect(heard.join("")).toMatch(/ready[\s\S]*over/)
  expect(heard).toContain("side\n")
})

test("a program with arguments, its directory, environment and input", async () => {
  const printed = await client.run(["sh", "-c", 'printf "%s|" "$0" "$1" "$WORD"; pwd; cat', "a b", "c'd"], {
    cwd: daemon.home,
    env: { WORD: "from here" },
    input: "typed ä",
  })
  expect(printed).toEqual({ ...exit, stdout: `a b|c'd|from here|${daemon.home}\ntyped ä`, stderr: "" })
  const bytes = await client.run("od -An -tx1", { input: Uint8Array.of(0, 255, 10) })
  expect(bytes.stdout.trim()).toBe("00 ff 0a")
})

test("letters that are cut between two pieces stay whole", async () => {
  const { stdout, stderr } = await client.run("printf '\\303'; sleep 0.1; printf '\\244|'; printf 'x\\303' >&2")
  expect(stdout).toBe("ä|")
  expect(stderr).toBe("x�")
})

test("of long output the beginning and the end are kept, and all of it is heard", async () => {
  const small = new SandboxAgentClient({
    autoConnect: false,
    baseUrl: daemon.baseUrl,
    token,
    limits: { outputChars: 20 },
  })
  let heard = 0
  const result = await small.run("seq 1 20000; echo short >&2", {
    onStdout: (text) => {
      heard += text.length
    },
  })
  expect(heard).toBe(108894)
  expect(result).toEqual({
    ...exit,
    stdout: "1\n2\n3\n4\n5\n999\n20000\n",
    stderr: "short\n",
    stdoutOmitted: { offset: 10, chars: 108894 - 20 },
  })
})

/** A program that leaves its number, and would never end. */
async function running(start: (line: string, onStdout: () => void) => Promise<unknown>) {
  const file = join(daemon.home, `pid-${Math.random()}`)
  let begun = () => {}
  const ready = new Promise<void>((resolve) => {
    begun = resolve
  })
  const done = start(`echo $$ > ${file}; echo ready; sleep 600 & wait`, begun)
  done.catch(() => undefined)
  await ready
  expect(existsSync(file)).toBe(true)
  return { done, pid: Number(readFileSync(file, "utf8")) }
}

test("aborting ends the program, and so does leaving the loop", async () => {
  const controller = new AbortController()
  const one = await running((line, onStdout) => client.run(line, { onStdout, signal: controller.signal }))
  controller.abort()
  await expect(one.done).rejects.toMatchObject({ kind: "aborted", name: "AbortError" })
  await expect.poll(() => isAlive(one.pid)).toBe(false)
  const two = await running(async (line, begun) => {
    for await (const output of client.runStream(line)) {
      expect(output).toEqual({ type: "stdout", text: "ready\n" })
      begun()
      break
    }
  })
  await two.done
  await expect.poll(() => isAlive(two.pid)).toBe(false)
})

test("a listener that throws ends the program and is told", async () => {
  const one = await running((line, onStdout) =>
    client.run(line, {
      onStdout: () => {
        onStdout()
        throw new Error("not mine")
      },
    }),
  )
  await expect(one.done).rejects.toThrow("not mine")
  await expect.poll(() => isAlive(one.pid)).toBe(false)
})

test("a time limit ends it, and is told; what cannot be started is a problem", async () => {
  expect(await client.run("sleep 600", { timeoutMs: 50 })).toMatchObject({ timedOut: true, exitCode: null })
  await expect(client.run(["no-such-program"])).rejects.toMatchObject({ kind: "problem" })
})

test("as a loop: output, then its end", async () => {
  const seen: RunOutput[] = []
  for await (const output of client.runStream(["echo", "hello"])) seen.push(output)
  expect(seen).toEqual([
    { type: "stdout", text: "hello\n" },
    { type: "exit", ...exit },
  ])
})
