import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Locks, type Place } from "../../src/host/files/lock.ts"
import { filesDaemon, workspace } from "./files-api.ts"
import { begun, drafts, halfSent, sendTo } from "./half-sent.ts"
import { rawArchive } from "./tar-bytes.ts"

const shared = filesDaemon()

const archive = rawArchive({ name: "sub/first", content: "1" }, { name: "sub/second", content: "x".repeat(5_000) })

for (const [what, method, name, below, bytes] of [
  ["a file", "PUT", "file", "/new", Buffer.alloc(100_000, "x")],
  ["an archive", "POST", "upload-batch", "", archive],
] as const) {
  test(`${what} whose folder is moved while it comes is refused and leaves nothing at the new place`, async () => {
    const top = workspace()
    mkdirSync(join(top, "a"))
    const { body, end } = halfSent(bytes.subarray(0, 2_000), bytes.subarray(2_000))
    const sent = sendTo(shared.daemon, method, name, join(top, `a${below}`), body)
    await begun(top)
    await shared.fs.ok("POST", "move", {}, { from: join(top, "a"), to: join(top, "b") })
    end()
    const [status, text] = await sent
    expect([status, text]).toEqual([409, expect.stringContaining("urn:sandbox-agent:error:conflict")])
    expect(existsSync(join(top, "a"))).toBe(false)
    expect(drafts(top)).toEqual([])
    expect(existsSync(join(top, "b/new"))).toBe(false)
    expect(existsSync(join(top, "b/sub/second"))).toBe(false)
  })

  test(`${what} whose folder is removed while it comes is refused, and the folder stays away`, async () => {
    const top = workspace()
    const { body, end } = halfSent(bytes.subarray(0, 2_000), bytes.subarray(2_000))
    const sent = sendTo(shared.daemon, method, name, join(top, `made/a${below}`), body)
    await begun(top)
    await shared.fs.ok("DELETE", "entry", { path: join(top, "made"), recursive: true })
    end()
    const [status, text] = await sent
    expect([status, text]).toEqual([409, expect.stringContaining("urn:sandbox-agent:error:conflict")])
    expect(readdirSync(top)).toEqual([])
  })
}

test("of many copies and moves to one place at once one is done and the others are refused", async () => {
  const top = workspace()
  for (const verb of ["copy", "move"]) {
    const names = Array.from({ length: 12 }, (_, n) => `${verb}-${n}`)
    for (const name of names) writeFileSync(join(top, name), name.padEnd(300_000))
    const to = join(top, `${verb}-to`)
    const answers = await Promise.all(
      names.map((name) => shared.fs.call("POST", verb, {}, { from: join(top, name), to })),
    )
    const won = names.filter((_, n) => answers[n]?.status === 200)
    expect(won.length, verb).toBe(1)
    expect(answers.filter(({ status }) => status === 409).length).toBe(names.length - 1)
    expect(readFileSync(to, "utf8").trim()).toBe(won[0])
  }
})

test("whatever is done at once below one folder ends, in some order, with a typed answer", async () => {
  const top = realpathSync(workspace())
  const at = (name: string) => join(top, name)
  const rounds = Array.from({ length: 25 }, (_, n) => [
    shared.fs.call("PUT", "file", { path: at(`a/b/f${n}`) }, "x"),
    shared.fs.call("POST", "move", {}, { from: at("a"), to: at("b") }),
    shared.fs.call("POST", "move", {}, { from: at("b"), to: at("a") }),
    shared.fs.call("POST", "mkdir", { path: at(`a/b/c/d${n}`) }),
    shared.fs.call("POST", "copy", {}, { from: at("a"), to: at(`b/copy${n}`), recursive: true }),
    shared.fs.call("POST", "upload-batch", { path: at("a") }, rawArchive({ name: `b/u${n}`, content: "u" })),
    shared.fs.call("DELETE", "entry", { path: at("a/b"), recursive: true }),
  ])
  const answers = await Promise.all(rounds.flat())
  for (const { status, body } of answers) expect([200, 400, 404, 409], JSON.stringify(body)).toContain(status)
  expect(drafts(top)).toEqual([])
})

test("work on a place waits for work on it, above it and below it, and for nothing else", async () => {
  const locks = new Locks()
  const order: string[] = []
  const begin = (name: string, ...places: Place[]) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const over = locks.hold(places, async () => {
      order.push(name)
      await promise
    })
    return {
      end: () => {
        resolve()
        return over
      },
    }
  }
  const folder = begin("folder", { path: "/a" })
  const inside = begin("inside", { path: "/a/b/c" })
  const beside = begin("beside", { path: "/ab" })
  const both = begin("both", { path: "/ab" }, { path: "/a/b" })
  const readers = [1, 2].map((n) => begin(`reader ${n}`, { path: "/r", shared: true }))
  const writer = begin("writer", { path: "/r/x" })
  await Promise.resolve()
  expect(order).toEqual(["folder", "beside", "reader 1", "reader 2"])
  await beside.end()
  await readers[0]?.end()
  expect(order).toHaveLength(4)
  await Promise.all([folder.end(), inside.end(), both.end(), readers[1]?.end(), writer.end()])
  expect(new Set(order.slice(4))).toEqual(new Set(["both", "inside", "writer"]))
  expect(order.indexOf("inside")).toBeLessThan(order.indexOf("both"))
})
