import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { opencodeBinary } from "@sandbox-agent/test-agents/opencode"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { layOutSkills } from "../../src/core/skill-folders.ts"
import { Confinement } from "../../src/files/confinement.ts"
import { scratch as freshFolder, startDaemon, type TestDaemon } from "../harness/daemon.ts"

const folders: string[] = []
function scratch(): string {
  const folder = freshFolder()
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder with a sound skill, and what a test puts beside it. */
function skillWith(name: string, add: (folder: string) => void): [name: string, folder: string] {
  const folder = scratch()
  mkdirSync(join(folder, "deep"))
  writeFileSync(join(folder, "SKILL.md"), "---\nname: s\ndescription: d\n---\nDo it.")
  add(folder)
  return [name, folder]
}

const link = (to: string) => (folder: string) => symlinkSync(to, join(folder, "deep", "link"))

function manyFiles(folder: string): void {
  // With SKILL.md and the folder they are in: one too many.
  for (let n = 0; n < limits.skillFiles - 1; n++) writeFileSync(join(folder, "deep", String(n)), "")
}

function manyBytes(folder: string): void {
  writeFileSync(join(folder, "deep", "long"), "")
  truncateSync(join(folder, "deep", "long"), limits.skillBytes)
}

const outside = scratch()
writeFileSync(join(outside, "secret"), "secret")

const refused: [what: string, folder: string, status: number, words: RegExp][] = [
  [...skillWith("a pipe", (f) => void execFileSync("mkfifo", [join(f, "deep", "pipe")])), 400, /not a regular file/],
  [...skillWith("a link to a device", link("/dev/zero")), 400, /not a regular file/],
  [...skillWith("a link to a file of the kernel", link("/proc/kmsg")), 400, /not a regular file/],
  [...skillWith("a link that leads nowhere", link("/nowhere/at/all")), 400, /does not exist/],
  [...skillWith("a link to the folder it is in", link("..")), 400, /leads back to/],
  [...skillWith("a file too many", manyFiles), 413, /more than \d+ files and folders/],
  [...skillWith("a byte too many", manyBytes), 413, /more than \d+ bytes/],
]

describe.each([
  ["claude", claudeBinary],
  ["codex", codexBinary],
  ["opencode", opencodeBinary],
] as const)("a folder of a skill for %s", (agent, program) => {
  let daemon: TestDaemon
  const root = scratch()
  beforeAll(async () => {
    daemon = await startDaemon({ flags: ["--agent-path", `${agent}=${program()}`] })
  })
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]()
  })
  const create = (path: string, on = daemon) =>
    on.api.call("POST", "/v1/sessions/skilled", { agent, directory: root, skills: [{ name: "s", path }] })

  test.each(refused)("with %s is refused, and no session is left", async (_, path, status, words) => {
    expect(await create(path)).toMatchObject({ status, body: { detail: expect.stringMatching(words) } })
    expect(await daemon.api.call("GET", "/v1/sessions/skilled")).toMatchObject({ status: 404 })
    await daemon.api.ok("GET", "/v1/health")
  })

  test("is confined by --fs-root, also through links", async () => {
    const flags = ["--agent-path", `${agent}=${program()}`, "--fs-root", root]
    await using confined = await startDaemon({ flags, cwd: root })
    const [, far] = skillWith("", () => {})
    const near = join(root, "near")
    mkdirSync(near)
    writeFileSync(join(near, "SKILL.md"), "---\nname: s\ndescription: d\n---\nDo it.")
    for (const to of [join(outside, "secret"), outside]) {
      symlinkSync(to, join(near, "link"))
      expect(await create(near, confined)).toMatchObject({ status: 403 })
      rmSync(join(near, "link"))
    }
    symlinkSync(far, join(root, "way-out"))
    for (const path of [far, join(far, "SKILL.md"), join(root, "way-out")])
      expect(await create(path, confined)).toMatchObject({ status: 403 })
  })
})

test.each(refused)("what turns into %s after it was looked at is not copied either", async (_, path, status, words) => {
  const given = [{ name: "s", path }]
  const target = join(scratch(), "skills")
  const code = status === 413 ? "payload_too_large" : "invalid_request"
  const copied = layOutSkills({ files: new Confinement() }, (work) => work(), given, "/", target)
  await expect(copied).rejects.toMatchObject({ code, detail: expect.stringMatching(words) })
})

test("skills are copied with their scripts, and have one name for the same content", async () => {
  const [, path] = skillWith("", (folder) => {
    writeFileSync(join(folder, "deep", "run.sh"), "echo run", { mode: 0o755 })
    symlinkSync("deep/run.sh", join(folder, "linked.sh"))
  })
  const lay = async () => {
    const target = join(scratch(), "skills")
    const hash = await layOutSkills({ files: new Confinement() }, (work) => work(), [{ name: "s", path }], "/", target)
    return { target, hash }
  }
  const first = await lay()
  for (const script of ["deep/run.sh", "linked.sh"])
    expect(execFileSync(join(first.target, "s", script), { shell: true }).toString()).toBe("run\n")
  expect((await lay()).hash).toBe(first.hash)
  writeFileSync(join(path, "deep", "run.sh"), "echo ran")
  expect((await lay()).hash).not.toBe(first.hash)
})
