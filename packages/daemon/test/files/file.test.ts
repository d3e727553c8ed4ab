import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { disk, mountable } from "../harness/disk.ts"
import { filesDaemon, queryOf } from "./files-api.ts"

const shared = filesDaemon()
const at = (name: string) => join(shared.folder, name)
const put = (name: string, text: string, headers: Record<string, string> = {}, query = {}) =>
  shared.fs.call<{ etag: string; created: boolean; bytesWritten: number }>(
    "PUT",
    "file",
    { path: at(name), ...query },
    text,
    headers,
  )
const get = (name: string, headers: Record<string, string> = {}) =>
  shared.fs.call<string>("GET", "file", { path: at(name) }, undefined, headers)
const drafts = (folder: string) => readdirSync(folder).filter((name) => name.startsWith(".sandbox-agent-"))

/** Bytes that are nowhere the same, so that a piece out of place is seen. */
function pattern(size: number): Buffer {
  const words = new Uint32Array(Math.ceil(size / 4))
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i, 2654435761)
  return Buffer.from(words.buffer, 0, size)
}

describe("writing", () => {
  test("a part of a file, or one that is compressed, is refused and leaves what is there", async () => {
    await put("whole.txt", "whole file")
    const [part, coded] = [{ "content-range": "bytes 2-3/10" }, { "content-encoding": "gzip" }]
    expect([(await put("whole.txt", "XX", part)).status, (await put("whole.txt", "XX", coded)).status]).toEqual([
      400, 415,
    ])
    expect((await get("whole.txt")).body).toBe("whole file")
  })

  test("a name that no file can have is refused", async () => {
    const answer = await put("x".repeat(256), "hello")
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining("too long a name") } })
    expect((await put(`${"y".repeat(256)}/below`, "hello")).status).toBe(400)
    expect((await put("x".repeat(255), "hello")).status).toBe(200)
  })

  test("makes the file and its folders, and replaces it keeping mode and owner", async () => {
    const first = await put("deep/er/one.txt", "hello")
    expect(first.body).toMatchObject({ created: true, bytesWritten: 5, path: at("deep/er/one.txt") })
    expect(first.headers.get("etag")).toBe(first.body.etag)
    chmodSync(at("deep/er/one.txt"), 0o750)
    const second = await put("deep/er/one.txt", "other")
    expect(second.body.created).toBe(false)
    expect(statSync(at("deep/er/one.txt")).mode & 0o7777).toBe(0o750)
    await put("deep/er/one.txt", "third", {}, { mode: "0600", fsync: true })
    expect(statSync(at("deep/er/one.txt")).mode & 0o7777).toBe(0o600)
    expect(readFileSync(at("deep/er/one.txt"), "utf8")).toBe("third")
    expect(
      await shared.fs.refused("not_found", "PUT", "file", { path: at("no/parents"), parents: false }, "x"),
    ).toBeDefined()
  })

  test("goes through a link to its target; other names of a file keep the old bytes", async () => {
    writeFileSync(at("target"), "old")
    linkSync(at("target"), at("second-name"))
    symlinkSync("target", at("link"))
    await put("link", "new")
    expect([readFileSync(at("target"), "utf8"), readFileSync(at("second-name"), "utf8")]).toEqual(["new", "old"])
    symlinkSync("not-there-yet", at("dangling"))
    await put("dangling", "made")
    expect(readFileSync(at("not-there-yet"), "utf8")).toBe("made")
  })

  test("If-Match and If-None-Match decide before and in the step", async () => {
    const { body } = await put("tagged", "one")
    expect((await put("tagged", "two", { "if-match": '"other"' })).status).toBe(412)
    expect((await put("tagged", "two", { "if-none-match": "*" })).status).toBe(412)
    expect((await put("tagged", "two", { "if-match": body.etag })).status).toBe(200)
    expect((await put("tagged", "three", { "if-match": body.etag })).status).toBe(412)
    expect((await put("new/none", "x", { "if-match": "*" })).status).toBe(412)
    expect(existsSync(at("new"))).toBe(false)
    // Of many at once exactly one wins, whoever it is.
    const { etag } = (await put("race", "start")).body
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => put("race", `n${i}`, { "if-match": etag })))
    expect(all.filter(({ status }) => status === 200).length).toBe(1)
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) => put("fresh", `n${i}`, { "if-none-match": "*" })),
    )
    expect(made.filter(({ status }) => status === 200).length).toBe(1)
    expect(made.filter(({ status }) => status === 412).length).toBe(19)
    expect(drafts(shared.folder)).toEqual([])
  })

  test.skipIf(!mountable)("a full disk is 507 and leaves the old file and nothing else", async () => {
    const full = disk("4m")
    const path = join(full, "sub/file")
    await shared.fs.ok("PUT", "file", { path }, "old")
    await shared.fs.refused("insufficient_storage", "PUT", "file", { path }, pattern(8 * 1024 * 1024))
    await shared.fs.refused(
      "insufficient_storage",
      "PUT",
      "file",
      { path: join(full, "other/new") },
      pattern(8 * 1024 * 1024),
    )
    expect([readFileSync(path, "utf8"), readdirSync(full), readdirSync(join(full, "sub"))]).toEqual([
      "old",
      ["sub"],
      ["file"],
    ])
  })

  test("is refused where there is a folder, a pipe or a device", async () => {
    mkdirSync(at("folder"))
    Bun.spawnSync(["mkfifo", at("pipe")])
    await shared.fs.refused("conflict", "PUT", "file", { path: at("folder") }, "x")
    await shared.fs.refused("conflict", "PUT", "file", { path: at("pipe") }, "x")
    await shared.fs.refused("conflict", "PUT", "file", { path: at("race/below") }, "x")
  })
})

describe("reading", () => {
  test("headers: type by name, a name to save it by, nothing a browser would run", async () => {
    await put("page ä.html", "<script>")
    const { headers } = await get("page ä.html")
    expect(headers.get("content-type")).toBe("text/html;charset=utf-8")
    expect(headers.get("content-disposition")).toBe(
      "inline; filename=\"page _.html\"; filename*=UTF-8''page%20%C3%A4.html",
    )
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("content-security-policy")).toContain("sandbox")
    const saved = await shared.fs.call("GET", "file", { path: at("page ä.html"), download: true })
    expect(saved.headers.get("content-disposition")).toMatch(/^attachment/)
  })

  test("HEAD tells size and tag and sends nothing", async () => {
    writeFileSync(at("large"), pattern(1_000_000))
    const { status, headers, body } = await shared.fs.call("HEAD", "file", { path: at("large") })
    expect([status, headers.get("content-length"), headers.get("accept-ranges"), body]).toEqual([
      200,
      "1000000",
      "bytes",
      "",
    ])
    expect(headers.get("etag")).toBe((await get("large")).headers.get("etag"))
  })

  test("ranges, small and large, with and without If-Range", async () => {
    const bytes = pattern(3_000_000)
    writeFileSync(at("ranged"), bytes)
    const etag = (await shared.fs.call("HEAD", "file", { path: at("ranged") })).headers.get("etag") ?? ""
    const part = async (range: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${shared.daemon.url}/v1/fs/file?${queryOf({ path: at("ranged") })}`, {
        headers: { ...shared.daemon.api.headers, range, ...headers },
      })
      return {
        status: response.status,
        range: response.headers.get("content-range"),
        bytes: Buffer.from(await response.arrayBuffer()),
      }
    }
    for (const [given, start, end] of [
      ["bytes=0-0", 0, 1],
      ["bytes=100-199", 100, 200],
      ["bytes=1000000-", 1_000_000, 3_000_000],
      ["bytes=-5", 2_999_995, 3_000_000],
      ["bytes=2999999-9999999", 2_999_999, 3_000_000],
      ["bytes=-9999999", 0, 3_000_000],
    ] as const) {
      const answer = await part(given, { "if-range": etag })
      expect([given, answer.status, answer.range]).toEqual([given, 206, `bytes ${start}-${end - 1}/3000000`])
      expect(answer.bytes.equals(bytes.subarray(start, end))).toBe(true)
    }
    for (const [given, headers] of [
      ["bytes=5-2", {}],
      ["bytes=0-1,5-6", {}],
      ["lines=1-2", {}],
      ["bytes=0-1", { "if-range": '"other"' }],
      ["bytes=0-1", { "if-range": `W/${etag}` }],
    ] as const) {
      const answer = await part(given, headers)
      expect([given, answer.status, answer.bytes.equals(bytes)]).toEqual([given, 200, true])
    }
    const beyond = await part("bytes=3000000-")
    expect([beyond.status, JSON.parse(beyond.bytes.toString())]).toMatchObject([416, { size: 3_000_000 }])
    expect(beyond.range).toBe("bytes */3000000")
  })

  test("304 for who has it, 412 for who wants another", async () => {
    const { etag } = (await put("cached", "x")).body
    expect((await get("cached", { "if-none-match": `"a", W/${etag}` })).status).toBe(304)
    expect((await get("cached", { "if-none-match": '"a"' })).status).toBe(200)
    expect((await get("cached", { "if-match": '"a"' })).status).toBe(412)
    const modified = (await get("cached")).headers.get("last-modified") ?? ""
    expect((await get("cached", { "if-modified-since": modified })).status).toBe(304)
    // Longer: many kernels give two changes within a few milliseconds the same time.
    writeFileSync(at("cached"), "yy")
    expect((await get("cached", { "if-none-match": etag })).status).toBe(200)
  })

  test("curl resumes a download that broke off", async () => {
    const bytes = pattern(40 * 1024 * 1024)
    writeFileSync(at("download"), bytes)
    const saved = at("saved")
    const curl = (...words: string[]) =>
      Bun.spawnSync([
        ...["curl", "-s", "-f", "-H", `authorization: Bearer ${shared.daemon.token}`, "-o", saved, ...words],
        `${shared.daemon.url}/v1/fs/file?${queryOf({ path: at("download") })}`,
      ]).exitCode
    expect(curl()).toBe(0)
    expect(readFileSync(saved).equals(bytes)).toBe(true)
    truncateSync(saved, 12_345_678)
    expect(curl("-C", "-")).toBe(0)
    expect(readFileSync(saved).equals(bytes)).toBe(true)
  })

  test("a file that becomes shorter on the way breaks off and does not look whole", async () => {
    writeFileSync(at("shrinking"), pattern(64 * 1024 * 1024))
    const response = await fetch(`${shared.daemon.url}/v1/fs/file?${queryOf({ path: at("shrinking") })}`, {
      headers: shared.daemon.api.headers,
    })
    const reader = response.body?.getReader()
    await reader?.read()
    truncateSync(at("shrinking"), 10)
    const rest = async () => {
      while (!(await reader?.read())?.done);
    }
    await expect(rest()).rejects.toThrow()
  })

  test("readers that leave before, at and after the first byte cost no file and no daemon", async () => {
    writeFileSync(at("left-alone"), pattern(16 * 1024 * 1024))
    const open = () => readdirSync(`/proc/${shared.daemon.pid}/fd`).length
    await get("left-alone")
    const before = open()
    const { hostname, port } = new URL(shared.daemon.url)
    const request = `GET /v1/fs/file?${queryOf({ path: at("left-alone") })} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${shared.daemon.token}\r\n\r\n`
    await Promise.all(
      Array.from(
        { length: 60 },
        (_, i) =>
          new Promise<void>((resolve) => {
            const socket = connect(Number(port), hostname, () => {
              socket.write(request, () => (i % 3 === 0 ? socket.destroy() : undefined))
              if (i % 3 === 1) socket.once("data", () => socket.destroy())
              if (i % 3 === 2) setTimeout(() => socket.destroy(), i)
            })
            socket.on("close", () => resolve())
            socket.on("error", () => resolve())
          }),
      ),
    )
    await until(() => open() <= before + 1)
    // A handle that was forgotten ends the daemon when it is collected.
    for (let i = 0; i < 5; i++) await get("left-alone")
    expect(shared.daemon.stderr()).not.toContain("garbage")
  })

  test("pipes, devices, folders and files of the kernel are refused and block nobody", async () => {
    Bun.spawnSync(["mkfifo", at("fifo")])
    for (const path of [
      at("fifo"),
      "/dev/zero",
      "/dev/tty",
      "/proc/self/environ",
      "/proc/kmsg",
      "/sys/kernel/notes",
      shared.folder,
    ])
      await shared.fs.refused("invalid_request", "GET", "file", { path })
  })
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5)
}
