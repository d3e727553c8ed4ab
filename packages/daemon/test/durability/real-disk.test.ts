import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { disk, mountable, remountReadOnly } from "../harness/disk.ts"
import { expectRowsEqualFold, keptDirectory, storedSessions, withDatabase } from "./database.ts"
import { faultsOf } from "./invariants.ts"
import { refused } from "./refused.ts"

const run = (...command: string[]): boolean => Bun.spawnSync(command, { stderr: "ignore" }).exitCode === 0

describe.runIf(mountable)("a disk that is really full", () => {
  test("turns end, writes are refused, reading goes on; when there is room again the queue goes on by itself", async () => {
    const folder = disk("48m")
    const dataDir = join(folder, "data")
    await using daemon = await startDaemon({ dataDir, cwd: "/" })
    const { api } = daemon
    await api.create("one")
    await api.turn("one", "before")
    const { bavail, bsize } = statfsSync(folder)
    writeFileSync(join(folder, "ballast"), Buffer.alloc(bavail * bsize - 6 * 1024 * 1024))
    await api.send("one", "/question\n/stream 100000000 100", { messageId: "flood" })
    const { data: question } = await api.until("one", "question.requested")
    await api.send("one", "after the flood", { messageId: "queued" })
    await api.answer("one", question, [["Red"]])
    await expect.poll(async () => (await api.session("one")).status, { timeout: 100_000 }).toBe("idle")
    expect(await api.session("one")).toMatchObject({ status: "idle", queue: [{ messageId: "queued" }] })
    expect((await api.call("POST", "/v1/sessions/one/messages", { message: "no" })).status).toBe(503)
    const before = await api.events("one")
    expect(before.length).toBeGreaterThan(100)

    rmSync(join(folder, "ballast"))
    const ended = await api.until("one", "turn.ended", ({ data }) => data.message_ids.includes("queued"))
    expect(ended.data.stop_reason).toBe("end_turn")
    const log = await api.events("one")
    expect(log.slice(0, before.length)).toEqual(before)
    expect(faultsOf(log)).toEqual([])
    const cut = log.find((event) => event.type === "turn.ended" && event.data.message_ids.includes("flood"))
    expect(cut?.data).toMatchObject({ stop_reason: "error", error: { code: "unavailable" } })
    expect(await daemon.stop()).toBe(0)
  }, 120_000)

  /** Takes every byte there is. */
  const fill = (folder: string) => {
    const file = openSync(join(folder, "ballast"), "a")
    for (const size of [64 * 1024, 4096, 1])
      try {
        for (;;) writeSync(file, Buffer.alloc(size, 1))
      } catch (error) {
        expect(error).toMatchObject({ code: "ENOSPC" })
      }
    closeSync(file)
    expect(statfsSync(folder).bavail).toBe(0)
  }

  test("a session that could not be written is not there for who makes it again, and no other is lost by a kill", async () => {
    const folder = disk("64m")
    const dataDir = join(folder, "data")
    await using first = await startDaemon({ dataDir, cwd: "/" })
    await first.api.create("one")
    fill(folder)
    const told: string[] = []
    const make = async (id: string) => {
      const { status } = await first.api.call("POST", `/v1/sessions/${id}`, { agent: "mock" })
      expect([201, 409, 503]).toContain(status)
      if (status !== 503) told.push(id)
      return status
    }
    // There may be some room left inside the files.
    let n = 0
    while ((await make(`made-${n}`)) === 201) n++
    for (let again = 0; again < 3; again++) {
      expect(await make(`made-${n}`)).toBe(503)
      expect((await first.api.call("GET", `/v1/sessions/made-${n}`)).status).toBe(503)
    }
    first.kill()
    await first.exited
    rmSync(join(folder, "ballast"))
    await using second = await startDaemon({ dataDir, cwd: "/" })
    for (const id of ["one", ...told]) expect((await second.api.call("GET", `/v1/sessions/${id}`)).status, id).toBe(200)
  })

  test.each(["running", "started on it", "killed in a turn and started on it"] as const)(
    "a disk without a byte left is emptied by deleting, and what is there can be read (daemon %s)",
    async (when) => {
      const folder = disk("64m")
      const dataDir = join(folder, "data")
      await using first = await startDaemon({ dataDir, cwd: "/" })
      for (const id of ["large", "small", "open"]) await first.api.create(id)
      await first.api.turn("large", "/stream 20000 100")
      await first.api.turn("small", "before")
      if (when === "running") fill(folder)
      else if (when === "started on it") expect(await first.stop()).toBe(0)
      else {
        await first.api.send("open", "/permission echo x")
        await first.api.until("open", "permission.requested")
        first.kill()
        await first.exited
      }
      if (when !== "running") fill(folder)
      await using second = when === "running" ? undefined : await startDaemon({ dataDir, cwd: "/" })
      const daemon = second ?? first
      const { api } = daemon
      expect((await api.events("large")).length).toBeGreaterThan(20_000)
      // There may be some room left inside the files; then nothing is taken any more.
      const send = () => api.call("POST", "/v1/sessions/small/messages", { message: "/stream 1000 100" })
      for (let left = 100; left > 0 && (await send()).status === 202; left--)
        await expect.poll(async () => (await api.session("small")).status, { timeout: 60_000 }).toBe("idle")
      expect((await send()).status).toBe(503)

      await api.ok("DELETE", "/v1/sessions/large")
      expect((await api.call("GET", "/v1/sessions/large")).status).toBe(404)
      await api.turn("small", "there is room again")
      await api.create("new")
      await api.turn("new", "and for more")
      const { bavail, bsize } = statfsSync(folder)
      expect(bavail * bsize).toBeGreaterThan(4 * 1024 * 1024)
      expect(await daemon.stop()).toBe(0)
      withDatabase(dataDir, (db) => {
        for (const session of storedSessions(db)) expectRowsEqualFold(db, session)
        expect(storedSessions(db).map(({ id }) => id)).toEqual(["small", "open", "new"])
      })
    },
    120_000,
  )

  test("a daemon on a full disk is found by other commands", async () => {
    const folder = disk("24m")
    const dataDir = join(folder, "data")
    await using first = await startDaemon({ dataDir, cwd: "/" })
    await first.api.create("one")
    expect(await first.stop()).toBe(0)
    fill(folder)
    await using daemon = await startDaemon({ dataDir, cwd: "/" })
    await expect.poll(() => daemon.stderr()).toContain("the disk is full")
    expect(JSON.parse(readFileSync(join(dataDir, "daemon.json"), "utf8"))).toMatchObject({ url: daemon.url })
  })

  test("what needs a file is refused by name, leaves nothing, and works again with room", async () => {
    const folder = disk("24m")
    const dataDir = join(folder, "data")
    {
      await using daemon = await startDaemon({ dataDir, cwd: "/" })
      await daemon.api.ok("POST", "/v1/processes", { command: "true" })
      expect(await daemon.stop()).toBe(0)
    }
    rmSync(join(dataDir, "reserve"))
    fill(folder)
    await using daemon = await startDaemon({ dataDir, cwd: "/" })
    for (const [path, body] of [
      ["/v1/processes", { command: "true" }],
      ["/v1/terminals", {}],
    ] as const) {
      const answer = await daemon.api.call("POST", path, body)
      expect(answer).toMatchObject({ status: 507, body: { detail: expect.stringContaining("the disk is full") } })
    }
    expect(JSON.stringify(await daemon.api.ok("GET", "/v1/processes"))).not.toContain("running")
    rmSync(join(folder, "ballast"))
    await daemon.api.ok("POST", "/v1/processes", { command: "true" })
    expect(daemon.stderr()).not.toContain("request failed")
  })

  test("a store of an older version is brought up to date although there is no room for a copy", async () => {
    const folder = disk("64m")
    const dataDir = join(folder, "data")
    await using first = await startDaemon({ dataDir, cwd: "/" })
    await first.api.create("one")
    await first.api.turn("one", "/stream 20000 100")
    expect(await first.stop()).toBe(0)
    withDatabase(dataDir, (db) => {
      // As it was before the last migration.
      db.run("DROP TABLE config")
      db.run("PRAGMA user_version = 4")
    })
    fill(folder)
    await using daemon = await startDaemon({ dataDir, cwd: "/" })
    expect(daemon.stderr()).toContain("no room for a copy")
    expect((await daemon.api.events("one")).length).toBeGreaterThan(20_000)
    expect(readdirSync(dataDir).filter((name) => name.includes("backup"))).toEqual([])
  })

  test("a full disk at the first start is refused by name", async () => {
    const folder = disk("1m")
    writeFileSync(join(folder, "ballast"), Buffer.alloc(1024 * 1024 - 8192))
    const { code, stderr } = await refused(join(folder, "data"))
    expect(code).toBe(9)
    expect(stderr).toContain(`the data directory ${join(folder, "data")} cannot be used`)
    expect(stderr).not.toMatch(/\bat .+\.ts:\d+|please report/)
  })

  test.each(["new", "used"])("a read-only disk is refused by name (%s data directory)", async (kind) => {
    const folder = disk("24m")
    const dataDir = join(folder, "data")
    if (kind === "used") {
      await using daemon = await startDaemon({ dataDir, cwd: "/" })
      await daemon.api.create("one")
      expect(await daemon.stop()).toBe(0)
    }
    expect(remountReadOnly(folder)).toBe(true)
    const { code, stderr } = await refused(dataDir)
    expect(code).toBe(9)
    expect(stderr).toContain(`the data directory ${dataDir} cannot be used`)
    expect(stderr).not.toMatch(/\bat .+\.ts:\d+|please report/)
  })
})

const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/"]

describe.runIf(process.getuid?.() === 0 && run(...asNobody, process.execPath, "--version"))(
  "a directory of somebody else",
  () => {
    test("is refused by name, whether it is there or would have to be made", async () => {
      const folder = keptDirectory()
      chmodSync(folder, 0o755)
      mkdirSync(join(folder, "theirs"), { mode: 0o755 })
      for (const path of [join(folder, "theirs"), join(folder, "new")]) {
        const { code, stderr } = await refused(path, asNobody)
        expect(code).toBe(9)
        expect(stderr).toContain(`the data directory ${path} cannot be used`)
        expect(stderr).not.toMatch(/\bat .+\.ts:\d+|please report/)
      }
    })
  },
)
