import { expect, test } from "vitest"
import { Reading } from "../../src/supervisor/reading.ts"
import { lives } from "./processes.ts"

/** Longer than the silence after which a pipe is given up. */
const noTurn = () => Bun.sleepSync(300)

/** How much is read of what a process left in its pipe. */
async function left(script: string, finishing = () => {}): Promise<number> {
  const child = Bun.spawn(["sh", "-c", script], { stdin: "ignore", stdout: "pipe", stderr: "inherit" })
  let bytes = 0
  const take = (chunk: Uint8Array) => {
    bytes += chunk.length
  }
  const reading = new Reading(child.stdout, { take, end: () => {} })
  // Dead, and nothing of it read: this process has no turn until then.
  while (lives(child.pid)) Bun.sleepSync(10)
  const finished = reading.finish()
  finishing()
  await finished
  await child.exited
  return bytes
}

test("what a dead process left is read, although the daemon has no turn for longer than silence is waited for", async () => {
  expect(await left("head -c 50000 /dev/zero", noTurn)).toBe(50_000)
})

test("what lies in our own buffer when the process dies is read to its end, however slowly", async () => {
  const chunks = 5
  const buffer = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let n = 0; n < chunks; n++) controller.enqueue(new Uint8Array(64 * 1024))
      controller.close()
    },
  })
  let taken = 0
  const take = () => {
    taken++
    noTurn()
  }
  await new Reading(buffer, { take, end: () => {} }).finish()
  expect(taken).toBe(chunks)
})

test("a pipe that somebody else holds and writes to now and then is given up", async () => {
  const holder = "(for i in $(seq 1 200); do echo held; sleep 0.1; done) & exit 0"
  expect(await left(holder)).toBeLessThan(200 * "held\n".length)
})

test("a pipe that somebody else floods is given up", async () => {
  // Longer than this test may take: only who gives it up comes to an end.
  expect(await left("timeout 100 yes & exit 0")).toBeGreaterThan(0)
})
