import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { configLimits } from "@sandbox-agent/schema/config-limits"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fetchTree } from "../../src/core/config/git-fetch.ts"
import { Confinement } from "../../src/files/confinement.ts"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { configOf, folder, skillText, statusOf } from "./client.ts"
import { overfill } from "./overfill.ts"
import { git, repository } from "./repository.ts"

const options = { timeout: 120_000 }
const mark = join(scratch(), "ran")

let daemon: TestDaemon
beforeAll(async () => {
  const env = { ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }
  daemon = await startDaemon({ flags: ["--agent-path", `claude=${claudeBinary()}`], env })
})
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]()
})

const inline = { type: "inline", source: "s", files: { "SKILL.md": skillText("s") } }
const from = (source: string, more: object = {}) => ({ type: "git", source, ...more })

test.each<[string, object]>([
  ["a program as address", from(`ext::touch ${mark}`)],
  ["an option as address", from(`--upload-pack=touch ${mark}`)],
  ["an option of ssh as host", from(`ssh://-oProxyCommand=touch%20${mark}/x`)],
  ["an option of ssh as host, in short", from(`-oProxyCommand=touch:${mark}`)],
  ["the same behind a user", from("git@-oProxyCommand=x:y")],
  ["an option as path", from("git@host:-x")],
  ["an unknown protocol", from("git://host/x")],
  ["a relative path", from("../x")],
  ["a login in an address", from("https://me:pass@host/x")],
  ["no owner", { type: "github", source: "skills" }],
  ["a way out of GitHub", { type: "github", source: "../../x" }],
  ["an option as ref", from("https://host/x", { ref: "--upload-pack=x" })],
  ["a range as ref", from("https://host/x", { ref: "a..b" })],
  ["a refspec", from("https://host/x", { ref: "main:refs/heads/x" })],
  ["a way out of a repository", from("https://host/x", { subpath: "../x" })],
  ["an absolute part", from("https://host/x", { subpath: "/etc" })],
  ["files of a repository", from("https://host/x", { files: {} })],
  ["another type", { type: "ftp", source: "x" }],
  ["a ref of a folder", { type: "local", source: "/x", ref: "main" }],
  ["an inline skill without SKILL.md", { ...inline, files: { "README.md": "x" } }],
  ["an inline skill of no name", { ...inline, source: "../x" }],
  ["a way out of an inline skill", { ...inline, files: { ...inline.files, "../../x": "x" } }],
  ["an absolute path in one", { ...inline, files: { ...inline.files, "/tmp/x": "x" } }],
])("%s is refused when it is put", async (_, source) => {
  const { skills } = configOf(daemon, folder())
  expect(await skills.put("bad", { sources: [source] })).toMatchObject({ status: 400 })
  expect((await skills.get()).body).toEqual({ entries: [] })
  expect(existsSync(mark)).toBe(false)
})

describe("a repository", options, () => {
  const create = (id: string, directory: string) =>
    daemon.api.call("POST", `/v1/sessions/${id}`, { agent: "claude", directory })
  const given = (id: string) => join(daemon.dataDir, "agents", "claude", "sessions", id, "skills", "skills")
  const use = async (id: string, source: string, more: object = {}) => {
    const directory = folder("project")
    await configOf(daemon, directory).skills.put("one", { sources: [from(source, more)] })
    return create(id, directory)
  }

  test("brings no links, no submodules, no hooks and no filters to life", async () => {
    const source = repository({ "SKILL.md": skillText("tame"), ".gitattributes": "* filter=evil\n" })
    symlinkSync("/etc/passwd", join(source, "secret"))
    symlinkSync("/etc", join(source, "secrets"))
    const inner = repository({ "inner.txt": "inner" })
    git(source, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "inner")
    writeFileSync(join(source, ".gitmodules"), `[submodule "inner"]\n\tpath = inner\n\turl = ext::touch ${mark}\n`)
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "evil")
    for (const hook of ["post-checkout", "post-upload-pack", "pre-upload-pack", "reference-transaction"]) {
      writeFileSync(join(source, ".git", "hooks", hook), `#!/bin/sh\ntouch ${mark}\n`)
      chmodSync(join(source, ".git", "hooks", hook), 0o755)
    }
    git(source, "config", "uploadpack.packObjectsHook", `touch ${mark}`)
    git(source, "config", "filter.evil.smudge", `touch ${mark}`)
    git(source, "config", "core.fsmonitor", `touch ${mark}`)
    expect(await use("tame", source)).toMatchObject({ status: 201 })
    expect(existsSync(mark)).toBe(false)
    const tame = join(given("tame"), "tame")
    expect(readFileSync(join(tame, "secret"), "utf8")).toBe("/etc/passwd")
    expect(readFileSync(join(tame, "secrets"), "utf8")).toBe("/etc")
    expect(existsSync(join(tame, "inner", "inner.txt"))).toBe(false)
    expect(existsSync(join(tame, ".git"))).toBe(false)
  })

  test("whose SKILL.md is a link is none", async () => {
    const source = repository({ "README.md": "x" })
    symlinkSync("/etc/passwd", join(source, "SKILL.md"))
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "link")
    expect(await use("link", source)).toMatchObject({ status: 400 })
    expect(statusOf(await daemon.api.call("GET", "/v1/sessions/link"))).toBe(404)
  })

  test("that is not there, has no such ref, part or skill, is told with what git said", async () => {
    const source = repository({ "a/SKILL.md": skillText("a") })
    const empty = folder("empty")
    for (const [where, more, status, words] of [
      ["/nowhere/at/all", {}, 503, /nowhere/],
      [empty, {}, 503, /not appear to be a git repository/],
      [source, { ref: "v9" }, 503, /v9/],
      [source, { subpath: "b" }, 400, /nothing at b/],
      [source, { skills: ["b"] }, 400, /no skill b/],
      [repository({ "x.txt": "x" }), {}, 400, /no skills/],
    ] as const) {
      const answer = await use("untold", where, more)
      expect(answer).toMatchObject({ status, body: { detail: expect.stringMatching(words) } })
      expect(statusOf(await daemon.api.call("GET", "/v1/sessions/untold"))).toBe(404)
    }
  })

  overfill(["treeFiles", "treeBytes"], "one of more files or bytes is refused before they are written", async () => {
    const many = (text: string, count: number) => {
      const at = folder("bomb")
      git(at, "init", "-q", "-b", "main")
      const lines = Array.from({ length: count }, (_, n) => `M 100644 :1 f/${n}`)
      const head = `blob\nmark :1\ndata ${text.length}\n${text}\ncommit refs/heads/main\ncommitter t <t@t> 0 +0000\ndata 1\nx\n`
      execFileSync("git", ["-C", at, "fast-import", "--quiet"], { input: `${head}${lines.join("\n")}\n` })
      return at
    }
    const MiB = 1024 * 1024
    for (const [source, limit] of [
      [many("x", configLimits.treeFiles + 1), configLimits.treeFiles],
      [many("x".repeat(MiB), configLimits.treeBytes / MiB + 1), configLimits.treeBytes],
    ] as const)
      expect(await use("bomb", source)).toMatchObject({ status: 413, body: { limit } })
  })

  overfill(["fetchMs", "packBytes"], "it is not fetched for longer, nor beyond the size of its pack", async () => {
    const supervisor = createSupervisor({ daemonId: "fetch-test", log: () => {} })
    const place = { files: new Confinement(), supervisor }
    const fetch = async (source: string, bounds: Partial<typeof configLimits>) => {
      const at = folder("fetch")
      mkdirSync(join(at, "tree"))
      const limits = { ...configLimits, ...bounds }
      await fetchTree(place, { type: "git", source }, at, join(at, "tree"), limits)
    }
    const deaf = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
    try {
      await expect(fetch(`http://127.0.0.1:${deaf.port}/x`, { fetchMs: 500 as never })).rejects.toMatchObject({
        code: "unavailable",
        detail: expect.stringContaining("500 ms"),
      })
      expect(supervisor.list()).toEqual([])
      const large = repository({ "SKILL.md": skillText("large") })
      writeFileSync(join(large, "noise"), crypto.getRandomValues(new Uint8Array(64 * 1024)))
      git(large, "add", "-A")
      git(large, "commit", "-q", "-m", "noise")
      await fetch(large, { packBytes: (512 * 1024) as never })
      await expect(fetch(large, { packBytes: (32 * 1024) as never })).rejects.toMatchObject({
        code: "payload_too_large",
      })
    } finally {
      deaf.stop(true)
      await supervisor.stopAll()
    }
  })
})
