import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { textsOf } from "./items.ts"
import { openSession } from "./session.ts"

test("/todo moves the entries of a plan from pending to completed", async () => {
  const session = await openSession()
  await session.run("/todo")
  const statuses = session.recorder.of("plan").map(([entries]) => entries.map(({ status }) => status))
  expect(statuses).toEqual([
    ["pending", "pending", "pending"],
    ["in_progress", "pending", "pending"],
    ["completed", "in_progress", "pending"],
    ["completed", "completed", "in_progress"],
    ["completed", "completed", "completed"],
  ])
})

test("/usage reports increments with cost", async () => {
  const session = await openSession()
  await session.run("/usage")
  const increments = session.recorder.of("usage").map(([increment]) => increment)
  expect(increments).toHaveLength(2)
  expect(increments.map(({ cost_usd }) => cost_usd)).toEqual([0.25, 0.125])
  expect(increments.map(({ input_tokens, output_tokens }) => [input_tokens, output_tokens])).toEqual([
    [1200, 300],
    [400, 100],
  ])
})

test("/title names the session", async () => {
  const { calls } = await (await openSession()).run("/title A fine name")
  expect(calls).toContainEqual({ name: "session", args: [{ title: "A fine name" }] })
})

test("/sleep tells that it sleeps, then the turn goes on", async () => {
  const { calls, items } = await (await openSession()).run("/sleep 1\n/echo awake")
  expect(calls).toContainEqual({ name: "status", args: ["sleep", "1 ms"] })
  expect(textsOf(items)).toEqual(["awake"])
})

test("attachments are noted before the echo, a line each", async () => {
  const session = await openSession()
  const path = join(session.directory, "notes.txt")
  writeFileSync(path, "twelve bytes")
  const { items } = await session.run("look at these", [
    { path, mime: "text/plain" },
    { bytes: new Uint8Array([1, 2, 3, 255]), mime: "image/png", filename: "dot.png" },
    { path: "/nowhere/at-all.txt" },
    { bytes: new Uint8Array(300_000) },
  ])
  expect(textsOf(items)).toEqual([
    [
      `Attachment notes.txt (text/plain, 12 bytes, ${path})`,
      "Attachment dot.png (image/png, 4 bytes)",
      "Attachment at-all.txt (not found, /nowhere/at-all.txt)",
      "Attachment unnamed (300000 bytes)",
    ].join("\n"),
    "look at these",
  ])
})
