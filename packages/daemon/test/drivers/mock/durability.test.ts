import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { NativeRef, PastItem } from "../../../src/core/driver.ts"
import { driver, hostAt, openSession, temporaryFolder } from "./session.ts"

async function pastOf(ref: NativeRef): Promise<string[]> {
  const past: string[] = []
  for await (const { role, content } of driver.history?.(ref, hostAt(ref.home)) ??
    ([] as unknown as AsyncIterable<PastItem>)) {
    past.push(`${role}: ${content.map((part) => (part.type === "text" ? part.text : part.type)).join()}`)
  }
  return past
}

describe("a native session", () => {
  test("has an id of the agent's own, and is durable from the first message on", async () => {
    const session = await openSession()
    const { ref } = session.native
    expect(ref).toMatchObject({ home: session.home, durable: false })
    expect(ref.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(session.recorder.of("session")[0]?.[0]).toMatchObject({ nativeSessionId: ref.id, durable: false })
    expect(readdirSync(session.home)).toEqual([])
    await session.run("one")
    expect(ref.durable).toBe(true)
    await session.run("two")
    expect(session.recorder.of("session").filter(([patch]) => patch.durable)).toEqual([[{ durable: true }]])
    expect(readdirSync(join(session.home, "sessions"))).toEqual([`${ref.id}.jsonl`])
  })

  test("is durable as soon as its message is taken: it survives a crash in that turn", async () => {
    const session = await openSession()
    await session.start("/crash 1")
    await session.recorder.until("gone")
    expect(session.native.ref.durable).toBe(true)
    const again = await openSession({ home: session.home, from: { kind: "resume", ref: session.native.ref } })
    expect(await pastOf(again.native.ref)).toEqual(["user: /crash 1"])
  })

  test("is resumed under its id and goes on, with ids not used before", async () => {
    const first = await openSession()
    const before = await first.run("one")
    await first.native.close()
    const second = await openSession({ home: "/unused", from: { kind: "resume", ref: first.native.ref } })
    expect(second.native.ref).toEqual(first.native.ref)
    const after = await second.run("two")
    expect(after.items[0]?.key).not.toBe(before.items[0]?.key)
    expect(await pastOf(second.native.ref)).toEqual(["user: one", "assistant: one", "user: two", "assistant: two"])
  })

  test.each(["resume", "adopt", "fork"] as const)("%s of an unknown one fails with the agent's words", async (kind) => {
    const home = temporaryFolder()
    const ref = { id: "../../etc/passwd", home, durable: true }
    await expect(openSession({ home, from: { kind, ref } })).rejects.toMatchObject({
      code: "not_found",
      context: { exitCode: 1, stderr: { head: expect.stringContaining("No session ../../etc/passwd") } },
    })
  })

  test("history of an unknown one is an error", async () => {
    await expect(pastOf({ id: "nope", home: temporaryFolder(), durable: true })).rejects.toMatchObject({
      code: "not_found",
    })
  })
})

describe("a fork", () => {
  test("begins with a copy and then goes its own way", async () => {
    const first = await openSession()
    await first.run("one")
    const fork = await openSession({ home: first.home, from: { kind: "fork", ref: first.native.ref } })
    expect(fork.native.ref.id).not.toBe(first.native.ref.id)
    expect(fork.native.ref.durable).toBe(true)
    await fork.run("two")
    await first.run("three")
    expect(await pastOf(fork.native.ref)).toEqual(["user: one", "assistant: one", "user: two", "assistant: two"])
    expect(await pastOf(first.native.ref)).toEqual(["user: one", "assistant: one", "user: three", "assistant: three"])
  })

  test("can be cut at the end of a turn", async () => {
    const first = await openSession()
    const { end } = await first.run("one")
    await first.run("two")
    const { ref } = first.native
    const fork = await openSession({ home: first.home, from: { kind: "fork", ref, at: end.native } })
    expect(await pastOf(fork.native.ref)).toEqual(["user: one", "assistant: one"])
    await expect(openSession({ home: first.home, from: { kind: "fork", ref, at: "never" } })).rejects.toMatchObject({
      context: { stderr: { head: expect.stringContaining("No turn never") } },
    })
  })
})
