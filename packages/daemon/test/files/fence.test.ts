import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { describe, expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { FilesClient, filesDaemon, workspace } from "./files-api.ts"
import { rawArchive } from "./tar-bytes.ts"

const other = workspace()
const secret = workspace()
const shared = filesDaemon((folder) => ({ flags: ["--fs-root", folder, "--fs-root", other] }))
const at = (name: string) => join(shared.folder, name)

writeFileSync(join(secret, "secret"), "secret")

describe("--fs-root", () => {
  test("serves below each root and nothing beside it", async () => {
    writeFileSync(at("in"), "in")
    await shared.fs.ok("PUT", "file", { path: join(other, "in") }, "x")
    await shared.fs.ok("GET", "file", { path: at("in") })
    const outside = join(secret, "secret")
    for (const path of [outside, secret, `${shared.folder}/../${secret.slice(5)}/secret`, `${shared.folder}-beside`]) {
      await shared.fs.refused("permission_denied", "GET", "file", { path })
      await shared.fs.refused("permission_denied", "GET", "stat", { path })
      await shared.fs.refused("permission_denied", "GET", "entries", { path })
      await shared.fs.refused("permission_denied", "PUT", "file", { path: `${path}/new` }, "x")
      await shared.fs.refused("permission_denied", "POST", "mkdir", { path: `${path}/new` })
      await shared.fs.refused("permission_denied", "DELETE", "entry", { path, recursive: true })
      await shared.fs.refused("permission_denied", "POST", "chmod", {}, { path, mode: "0777" })
      await shared.fs.refused("permission_denied", "POST", "move", {}, { from: at("in"), to: `${path}/new` })
      await shared.fs.refused("permission_denied", "POST", "copy", {}, { from: path, to: at("copy"), recursive: true })
    }
    expect(readFileSync(outside, "utf8")).toBe("secret")
  })

  test("the machine around it is not looked at either", async () => {
    for (const path of ["/", "/etc/passwd"]) {
      await shared.fs.refused("permission_denied", "GET", "file", { path })
      await shared.fs.refused("permission_denied", "GET", "stat", { path })
      await shared.fs.refused("permission_denied", "GET", "entries", { path })
    }
  })

  test("tells nobody whether something outside is there", async () => {
    const there = await shared.fs.refused("permission_denied", "GET", "stat", { path: join(secret, "secret") })
    const missing = await shared.fs.refused("permission_denied", "GET", "stat", { path: join(secret, "missing") })
    expect(String(missing.detail).replace("missing", "secret")).toBe(String(there.detail))
    expect(missing.hint).toBe(there.hint)
  })

  test("links that lead outside are listed and lead nowhere", async () => {
    const { mode } = statSync(join(secret, "secret"))
    symlinkSync(secret, at("link"))
    symlinkSync(join(secret, "secret"), at("file-link"))
    symlinkSync(join(secret, "new"), at("dangling"))
    const entries = await shared.fs.ok<{ name: string; entryType: string }[]>("GET", "entries", {
      path: shared.folder,
      depth: 3,
    })
    expect(entries.filter(({ name }) => name === "secret")).toEqual([])
    expect(entries.find(({ name }) => name === "link")?.entryType).toBe("file")
    for (const path of [at("link/secret"), at("file-link"), at("link")]) {
      await shared.fs.refused("permission_denied", "GET", "file", { path })
      await shared.fs.refused("permission_denied", "GET", "stat", { path })
    }
    for (const path of [at("link/new"), at("dangling"), at("file-link")])
      await shared.fs.refused("permission_denied", "PUT", "file", { path }, "x")
    await shared.fs.refused("permission_denied", "DELETE", "entry", { path: at("link/secret") })
    await shared.fs.refused("permission_denied", "POST", "chmod", {}, { path: at("file-link"), mode: "0777" })
    await shared.fs.refused("permission_denied", "POST", "move", {}, { from: at("link/secret"), to: at("stolen") })
    await shared.fs.refused("permission_denied", "POST", "copy", {}, { from: at("file-link"), to: at("stolen") })
    // The link itself may go, and a link may be looked at.
    await shared.fs.ok("GET", "stat", { path: at("link"), follow: false })
    for (const name of ["link", "file-link", "dangling"]) await shared.fs.ok("DELETE", "entry", { path: at(name) })
    expect(readdirSync(secret)).toEqual(["secret"])
    expect(statSync(join(secret, "secret")).mode).toBe(mode)
  })

  test("archives, uploads, watches and searches neither", async () => {
    symlinkSync(secret, at("way-out"))
    mkdirSync(at("searched"))
    symlinkSync(secret, at("searched/way-out"))
    for (const path of [secret, at("way-out"), join(secret, "missing")]) {
      await shared.fs.refused("permission_denied", "GET", "archive", { path })
      await shared.fs.refused("permission_denied", "GET", "watch", { path })
      await shared.fs.refused("permission_denied", "GET", "search", { path, pattern: "secret" })
      await shared.fs.refused("permission_denied", "POST", "upload-batch", { path }, rawArchive({ name: "evil" }))
    }
    const { body } = await shared.fs.call<string>("GET", "search", {
      path: at("searched"),
      pattern: "secret",
      gitignore: false,
    })
    expect(body).toContain('"matches":0')
    const { body: archive } = await shared.fs.call<string>("GET", "archive", { path: at("searched") })
    expect(archive).not.toContain("only what is secret")
    await shared.fs.ok("DELETE", "entry", { path: at("way-out") })
    expect(readdirSync(secret)).toEqual(["secret"])
  })

  test("roots themselves stay where they are", async () => {
    await shared.fs.refused("permission_denied", "DELETE", "entry", { path: shared.folder, recursive: true })
    await shared.fs.refused("permission_denied", "POST", "move", {}, { from: other, to: at("moved") })
    expect(existsSync(shared.folder)).toBe(true)
  })

  test("a folder swapped for a link between look and use is no way out, whatever is done through it", async () => {
    const inside = at("swap")
    const spare = at("spare")
    mkdirSync(inside)
    writeFileSync(join(inside, "secret"), "mine")
    let running = true
    // From outside, as fast as it can: folder, link, folder, link.
    const swapper = Bun.spawn([
      "sh",
      "-c",
      `while :; do mv -T ${inside} ${spare} && ln -s ${secret} ${inside}; rm -f ${inside}; mv -T ${spare} ${inside}; done 2>/dev/null`,
    ])
    const before = statSync(join(secret, "secret"))
    let answered = 0
    const use = async (): Promise<void> => {
      while (running) {
        const path = join(inside, "secret")
        const kind = answered++ % 7
        if (kind === 0) {
          const { status, body } = await shared.fs.call<string>("GET", "file", { path })
          if (status === 200) expect(body).toBe("mine")
        } else if (kind === 1) await shared.fs.call("PUT", "file", { path, parents: false }, "mine")
        else if (kind === 2) await shared.fs.call("PUT", "file", { path: join(inside, "made"), parents: false }, "mine")
        else if (kind === 3) await shared.fs.call("DELETE", "entry", { path: join(inside, "made") })
        else if (kind === 4) await shared.fs.call("POST", "chmod", {}, { path, mode: "0600" })
        else if (kind === 5) await shared.fs.call("POST", "copy", {}, { from: path, to: at("copied"), overwrite: true })
        else {
          const { status, body } = await shared.fs.call<{ name: string }[]>("GET", "entries", { path: inside })
          if (status === 200) expect(body.every(({ name }) => !name.startsWith("only-outside"))).toBe(true)
        }
        if (answered >= rounds(600, 10_000)) running = false
      }
    }
    writeFileSync(join(secret, "only-outside"), "")
    try {
      await Promise.all(Array.from({ length: 8 }, use))
    } finally {
      swapper.kill()
      await swapper.exited
    }
    unlinkSync(join(secret, "only-outside"))
    expect(readdirSync(secret)).toEqual(["secret"])
    expect(readFileSync(join(secret, "secret"), "utf8")).toBe("secret")
    const after = statSync(join(secret, "secret"))
    expect([after.ino, after.mode, after.mtimeMs]).toEqual([before.ino, before.mode, before.mtimeMs])
    if (existsSync(at("copied"))) expect(readFileSync(at("copied"), "utf8")).toBe("mine")
  }, 600_000)

  test("a folder being removed is no way out when parts of it become links", async () => {
    writeFileSync(join(secret, "kept"), "")
    for (let round = 0; round < rounds(20, 200); round++) {
      const top = at("tree")
      for (let i = 0; i < 12; i++) mkdirSync(join(top, `d${i}/e`), { recursive: true })
      const removing = shared.fs.call("DELETE", "entry", { path: top, recursive: true })
      for (let i = 11; i >= 0; i--)
        try {
          renameSync(join(top, `d${i}`), at(`gone${i}`))
          symlinkSync(secret, join(top, `d${i}`))
        } catch {
          // Removed already: the race was lost, and the next is tried.
        }
      await removing
      for (let i = 0; i < 12; i++) rmSync(at(`gone${i}`), { recursive: true, force: true })
      rmSync(top, { recursive: true, force: true })
    }
    expect(readdirSync(secret).sort((a, b) => (a < b ? -1 : 1))).toEqual(["kept", "secret"])
  }, 120_000)
})

test("the daemon's own data is never served, with or without roots", async () => {
  const { dataDir } = shared.daemon
  const free = filesDaemonNow()
  await using daemon = await free
  for (const fs of [shared.fs, daemon.fs]) {
    const dataDir = fs.daemon.dataDir
    for (const path of [dataDir, join(dataDir, "sandbox-agent.db"), join(dataDir, "nothing")]) {
      await fs.refused("permission_denied", "GET", "file", { path })
      await fs.refused("permission_denied", "PUT", "file", { path: `${path}/x` }, "x")
      await fs.refused("permission_denied", "DELETE", "entry", { path, recursive: true })
    }
  }
  expect(existsSync(dataDir)).toBe(true)
})

async function filesDaemonNow() {
  const daemon = await startDaemon()
  return { fs: new FilesClient(daemon), [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
}
