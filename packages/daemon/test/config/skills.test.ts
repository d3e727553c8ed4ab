import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { configOf, folder, skillText, statusOf } from "./client.ts"
import { commit, repository } from "./repository.ts"

const flags = ["--agent-path", `claude=${claudeBinary()}`]
/** Without a key Claude Code is not even started; with one it asks its model endpoint, and here nobody listens. */
const env = { ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }
const options = { timeout: 120_000 }

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon({ flags, env })
})
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]()
})

/** Folders of the skills that a session of Claude Code was given. */
const given = (id: string, on = daemon): string =>
  join(on.dataDir, "agents", "claude", "sessions", id, "skills", "skills")
const fetched = (on = daemon): string[] => {
  const root = join(on.dataDir, "agents", ".skills")
  return existsSync(root) ? readdirSync(root) : []
}
const create = (id: string, directory: string, body: object = {}, on = daemon) =>
  on.api.call("POST", `/v1/sessions/${id}`, { agent: "claude", directory, ...body })

function skill(place: string, name: string, description?: string): void {
  mkdirSync(join(place, name), { recursive: true })
  writeFileSync(join(place, name, "SKILL.md"), skillText(name, description))
}

describe("skills of a directory", options, () => {
  test("are stored, read, listed and deleted; nothing is written into the directory", async () => {
    const directory = folder("project")
    const { skills } = configOf(daemon, directory)
    const config = { sources: [{ type: "local", source: "/somewhere", skills: null, ref: null }] }
    expect(await skills.put("ours", config)).toMatchObject({ status: 204 })
    expect((await skills.get("ours")).body).toEqual(config)
    expect((await skills.get()).body).toEqual({ entries: [{ name: "ours", config }] })
    expect(statusOf(await skills.get("theirs"))).toBe(404)
    expect(await create("missing", directory)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("/somewhere") },
    })
    expect(statusOf(await skills.delete("ours"))).toBe(204)
    expect(statusOf(await skills.delete("ours"))).toBe(404)
    expect(readdirSync(directory)).toEqual([])
  })

  test("come from folders, inline files and repositories; what create gives wins by name", async () => {
    const directory = folder("project")
    skill(join(directory, "tools", "skills"), "from-folder")
    skill(join(directory, "tools", "skills"), "twice", "of the directory")
    skill(folder(), "unused")
    const source = repository({
      "skills/from-git/SKILL.md": skillText("from-git"),
      "skills/from-git/run.sh": "#!/bin/sh\necho run",
      "skills/left-out/SKILL.md": skillText("left-out"),
    })
    const { skills } = configOf(daemon, directory)
    const sources = [
      { type: "local", source: "tools" },
      { type: "git", source, skills: ["from-git"] },
      {
        type: "inline",
        source: "from-text",
        files: { "SKILL.md": skillText("from-text"), "bin/go.sh": "#!/bin/sh\necho go" },
      },
    ]
    expect(statusOf(await skills.put("all", { sources }))).toBe(204)
    const before = execFileSync("find", [directory]).toString()
    const atCreate = { name: "twice", content: "# Of create\nDo it." }
    expect(statusOf(await create("all", directory, { skills: [atCreate] }))).toBe(201)
    expect(readdirSync(given("all")).sort()).toEqual(["from-folder", "from-git", "from-text", "twice"])
    expect(readFileSync(join(given("all"), "twice", "SKILL.md"), "utf8")).toContain("Of create")
    for (const [script, says] of [
      ["from-git/run.sh", "run"],
      ["from-text/bin/go.sh", "go"],
    ] as const)
      expect(
        execFileSync(join(given("all"), script))
          .toString()
          .trim(),
      ).toBe(says)
    expect(existsSync(join(given("all"), "from-git", ".git"))).toBe(false)
    expect(execFileSync("find", [directory]).toString()).toBe(before)

    // A repository is as it was when it was first needed, until the entry is put again.
    commit(source, { "skills/from-git/SKILL.md": skillText("from-git", "newer") })
    await create("later", directory)
    const text = (id: string) => readFileSync(join(given(id), "from-git", "SKILL.md"), "utf8")
    expect(text("later")).not.toContain("newer")
    await skills.put("all", { sources })
    await create("newest", directory)
    expect(text("newest")).toContain("newer")
  })

  test("of a repository are of a branch, a tag, a commit, a part of it, or the repository is one", async () => {
    const source = repository({ "SKILL.md": skillText("whole"), "deep/in/here/SKILL.md": skillText("part") })
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", source, ...words])
        .toString()
        .trim()
    const first = git("rev-parse", "HEAD")
    git("tag", "v1")
    git("checkout", "-q", "-b", "side/branch")
    commit(source, { "SKILL.md": skillText("other") })
    git("checkout", "-q", "main")
    commit(source, { "SKILL.md": skillText("newest") })
    // Of one name there is one in a session.
    const wanted: [object, string][][] = [
      [
        [{}, "newest"],
        [{ ref: "v1" }, "whole"],
        [{ ref: "side/branch" }, "other"],
        [{ subpath: "deep/in/here" }, "part"],
      ],
      [
        [{ ref: first }, "whole"],
        [{ subpath: "deep/in", ref: first }, "part"],
        [{ source: `file://${source}` }, "newest"],
      ],
    ]
    for (const [i, together] of wanted.entries()) {
      const directory = folder("project")
      const sources = together.map(([more]) => ({ type: "git", source, ...more }))
      await configOf(daemon, directory).skills.put("all", { sources })
      expect(await create(`ref-${i}`, directory)).toMatchObject({ status: 201 })
      expect(new Set(readdirSync(given(`ref-${i}`)))).toEqual(new Set(together.map(([, name]) => name)))
    }
  })

  test("that were fetched go when neither the config nor a session has them, and are found after a restart", async () => {
    const dataDir = scratch()
    const directory = folder("project")
    const source = repository({ "SKILL.md": skillText("kept") })
    const one = await startDaemon({ dataDir, flags, env })
    await configOf(one, directory).skills.put("one", { sources: [{ type: "git", source }] })
    expect(statusOf(await create("kept", directory, {}, one))).toBe(201)
    expect(fetched(one)).toHaveLength(1)
    await configOf(one, directory).skills.delete("one")
    await one.stop()
    // A session has them.
    const two = await startDaemon({ dataDir, flags, env })
    await configOf(two, directory).skills.get()
    expect(statusOf(await two.api.call("POST", "/v1/sessions/kept/terminate"))).toBe(200)
    expect(await two.api.call("POST", "/v1/sessions/kept/resume")).toMatchObject({ status: 200 })
    expect(fetched(two)).toHaveLength(1)
    await two.api.ok("DELETE", "/v1/sessions/kept")
    await two.stop()
    await using three = await startDaemon({ dataDir, flags, env })
    await configOf(three, directory).skills.get()
    await expect.poll(() => fetched(three), { timeout: 60_000 }).toEqual([])
  })

  test("of a daemon in memory are gone with it", async () => {
    const dataDir = scratch()
    const directory = folder("project")
    const inMemory = await startDaemon({ dataDir, flags: [...flags, "--store", "memory"], env })
    const source = { type: "inline", source: "short", files: { "SKILL.md": skillText("short") } }
    await configOf(inMemory, directory).skills.put("one", { sources: [source] })
    expect(statusOf(await create("short", directory, {}, inMemory))).toBe(201)
    expect(readdirSync(given("short", inMemory))).toEqual(["short"])
    await inMemory.stop()
    expect(fetched(inMemory)).toEqual([])
  })

  test("stay within --fs-root, what the daemon fetched apart", async () => {
    const root = folder("root")
    const outside = folder("outside")
    skill(outside, "far")
    const inside = repository({ "SKILL.md": skillText("near") }, join(root, "repository"))
    const far = repository({ "SKILL.md": skillText("far") })
    symlinkSync(far, join(root, "link"))
    await using confined = await startDaemon({ flags: [...flags, "--fs-root", root], cwd: root, env })
    const { skills } = configOf(confined, root)
    for (const [type, source, status] of [
      ["local", outside, 403],
      ["git", far, 403],
      ["git", `file://${far}`, 403],
      ["git", join(root, "link"), 403],
      ["git", inside, 201],
    ] as const) {
      await skills.put("one", { sources: [{ type, source }] })
      expect(statusOf(await create("confined", root, {}, confined)), source).toBe(status)
    }
    expect(readdirSync(given("confined", confined))).toEqual(["near"])
  })
})

test("what agents cannot take is told at create", async () => {
  const directory = folder("project")
  const inline = { type: "inline", source: "s", files: { "SKILL.md": skillText("s") } }
  const { skills } = configOf(daemon, directory)
  await skills.put("one", { sources: [inline] })
  const created = () => daemon.api.call("POST", "/v1/sessions/mock", { agent: "mock", directory })
  expect(await created()).toMatchObject({ status: 501, body: { option: "skills" } })
  await skills.put("one", { sources: [inline], agents: ["claude", "codex"] })
  expect(await created()).toMatchObject({ status: 201 })
})
