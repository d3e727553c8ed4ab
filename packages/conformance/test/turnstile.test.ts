import { existsSync } from "node:fs"
import { expect, test, vi } from "vitest"
import { inTurn, openTurnstile, turnstileVariable } from "../src/turnstile.ts"

const module = new URL("../src/turnstile.ts", import.meta.url).pathname

/** Another process, which is in until it is told to end. */
function other(path: string) {
  const script = `import { inTurn } from ${JSON.stringify(module)}
    await inTurn(() => new Promise(() => console.log("in")), ${JSON.stringify(path)})`
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" })
  const isIn = child.stdout.getReader().read()
  return { child, isIn }
}

test("so many are in at a time, in the order they came, and all get in", async () => {
  const turnstile = await openTurnstile(2)
  const began: number[] = []
  let now = 0
  let most = 0
  const holds = Array.from({ length: 6 }, () => Promise.withResolvers<void>())
  const all = holds.map(({ promise }, n) =>
    inTurn(async () => {
      began.push(n)
      most = Math.max(most, ++now)
      await promise
      now--
    }, turnstile.path),
  )
  await vi.waitFor(() => expect(began).toEqual([0, 1]))
  for (const [n, { resolve }] of holds.entries()) {
    resolve()
    if (n + 2 < holds.length) await vi.waitFor(() => expect(began).toHaveLength(n + 3))
  }
  await Promise.all(all)
  expect(began).toEqual([0, 1, 2, 3, 4, 5])
  expect(most).toBe(2)
  await turnstile.close()
  expect(existsSync(turnstile.path)).toBe(false)
})

test("work that fails lets the next one in, and says how it failed", async () => {
  const turnstile = await openTurnstile(1)
  const failed = inTurn(() => Promise.reject(new Error("as it was")), turnstile.path)
  await expect(failed).rejects.toThrow("as it was")
  expect(await inTurn(async () => "next", turnstile.path)).toBe("next")
  await turnstile.close()
})

test("a process that is killed while it is in, or while it waits, keeps nobody out", async () => {
  const turnstile = await openTurnstile(1)
  const first = other(turnstile.path)
  await first.isIn
  const second = other(turnstile.path)
  const third = inTurn(async () => "third", turnstile.path)
  second.child.kill("SIGKILL")
  await second.child.exited
  first.child.kill("SIGKILL")
  expect(await third).toBe("third")
  await first.child.exited
  await turnstile.close()
})

test("every worker of a run has the turnstile of that run", () => {
  expect(existsSync(process.env[turnstileVariable] ?? "none")).toBe(true)
})
