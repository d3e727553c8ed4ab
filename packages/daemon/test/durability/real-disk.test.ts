import { chmodSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { keptDirectory } from "./database.ts"
import { faultsOf } from "./invariants.ts"
import { refused } from "./refused.ts"

const run = (...command: string[]): boolean => Bun.spawnSync(command, { stderr: "ignore" }).exitCode === 0

/** A file system of its own, so that it can be full or read-only for real. */
function disk(size: string): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-disk-"))
  if (!run("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder)) throw new Error("tmpfs could not be mounted")
  onTestFinished(() => {
    run("umount", "-l", folder)
    rmdirSync(folder)
  })
  return folder
}

const mountable = (() => {
  const probe = mkdtempSync(join(tmpdir(), "sandbox-agent-probe-"))
  const works = run("mount", "-t", "tmpfs", "tmpfs", probe) && run("umount", probe)
  rmdirSync(probe)
  return works
})()

describe.runIf(mountable)("a disk that is really full", () => {
  test("turns end, writes are refused, reading goes on; when there is room again the queue goes on by itself", async () => {
    const folder = disk("24m")
    const dataDir = join(folder, "data")
    await using daemon = await startDaemon({ dataDir, cwd: "/" })
    const { api } = daemon
    await api.create("one")
    await api.turn("one", "before")
    const { bavail, bsize } = statfsSync(folder)
    writeFileSync(join(folder, "ballast"), Buffer.alloc(bavail * bsize - 6 * 1024 * 1024))
    await api.send("one", "/stream 100000000 100", { messageId: "flood" })
    await api.send("one", "after the flood", { messageId: "queued" })
    for (let left = 1_000; left > 0 && (await api.session("one")).status !== "idle"; left--) await Bun.sleep(20)
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
    expect(run("mount", "-o", "remount,ro", folder)).toBe(true)
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
