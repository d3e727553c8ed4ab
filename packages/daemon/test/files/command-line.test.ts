import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { atTerminal } from "../cli/terminal.ts"
import { root } from "../harness/daemon.ts"
import { filesDaemon, workspace } from "./files-api.ts"
import { treeOf } from "./tree-of.ts"

const shared = filesDaemon()

async function cli(words: string[], input = ""): Promise<{ code: number; out: string; error: string }> {
  const child = Bun.spawn([process.execPath, join(root, "packages/daemon/src/main.ts"), "fs", ...words], {
    env: { ...process.env, SANDBOX_AGENT_URL: shared.daemon.url, SANDBOX_AGENT_TOKEN: shared.daemon.token },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, error, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, error }
}

test("put, cat, ls, get, tree and rm: files, folders and pipes", async () => {
  const far = join(shared.folder, "far")
  const near = workspace()
  mkdirSync(join(near, "app/src"), { recursive: true })
  writeFileSync(join(near, "app/src/main.ts"), "main")
  symlinkSync("src/main.ts", join(near, "app/link"))
  expect(await cli(["put", "-", join(far, "piped")], "from a pipe")).toMatchObject({ code: 0, error: "" })
  expect((await cli(["cat", join(far, "piped")])).out).toBe("from a pipe")
  expect(await cli(["put", join(near, "app"), join(far, "app")])).toMatchObject({ code: 0, error: "" })
  expect(treeOf(join(far, "app"))).toEqual(treeOf(join(near, "app")))
  expect((await cli(["ls", far])).out.split("\n").map((line) => line.split("\t").at(-1))).toEqual([
    join(far, "app"),
    join(far, "piped"),
    "",
  ])
  expect((await cli(["tree", far])).out).toBe("app/\n  link -> src/main.ts\n  src/\n    main.ts\npiped\n")
  expect(await cli(["get", join(far, "app"), join(near, "back")])).toMatchObject({ code: 0, error: "" })
  expect(treeOf(join(near, "back"))).toEqual(treeOf(join(near, "app")))
  expect(await cli(["get", join(far, "piped"), near])).toMatchObject({ code: 0 })
  expect(readFileSync(join(near, "piped"), "utf8")).toBe("from a pipe")
  expect((await cli(["get", join(far, "piped"), "-"])).out).toBe("from a pipe")
  expect((await cli(["rm", far])).code).toBe(5)
  expect((await cli(["rm", far, "--recursive"])).code).toBe(0)
  expect((await cli(["get", join(far, "piped"), "-"])).code).toBe(4)
  expect((await cli(["put", "only-one"])).code).toBe(2)
}, 120_000)

test("a terminal is shown how far a copy is, and the line is gone before anything else is said", async () => {
  const near = workspace()
  const far = join(shared.folder, "shown")
  mkdirSync(join(near, "app"))
  for (const name of ["large", "app/large"]) writeFileSync(join(near, name), Buffer.alloc(3 * 1024 * 1024, name))
  const env = { SANDBOX_AGENT_URL: shared.daemon.url, SANDBOX_AGENT_TOKEN: shared.daemon.token }
  const at = (...words: string[]) => atTerminal(["fs", ...words], [], undefined, env)
  const gone = "\x1b[K"
  const put = await at("put", join(near, "large"), join(far, "large"))
  expect(put).toMatchObject({ code: 0, screen: expect.stringMatching(/put large \[#+\] 100% 3\.0 MiB of 3\.0 MiB/) })
  expect(put.screen.endsWith(gone)).toBe(true)
  const got = await at("get", join(far, "large"), join(near, "back"))
  expect(got).toMatchObject({ code: 0, screen: expect.stringMatching(/get large \[#+\] 100% 3\.0 MiB of 3\.0 MiB/) })
  expect(got.screen.endsWith(gone)).toBe(true)
  expect(readFileSync(join(near, "back")).equals(readFileSync(join(near, "large")))).toBe(true)
  // How much a folder is nobody knows before.
  const folder = await at("put", join(near, "app"), join(far, "app"))
  expect(folder).toMatchObject({ code: 0, screen: expect.stringMatching(/put app \d+\.\d MiB/) })
  expect(treeOf(join(far, "app"))).toEqual(treeOf(join(near, "app")))
  const shown = await at("get", join(far, "app/large"), "-")
  expect(shown.screen).not.toContain("MiB")
  expect(shown.screen).toHaveLength(3 * 1024 * 1024)
  const refused = await at("put", join(near, "large"), join(far, "large/below"))
  expect(refused.code).not.toBe(0)
  expect(refused.screen.split(gone).at(-1)).toMatch(/^error: /)
  expect((await at("put", join(near, "nothing"), far)).screen).toMatch(/^error: there is no file .*nothing\n/)
  expect((await at("put", "-", far)).screen).toMatch(/^error: nothing to send: name a file, or pipe something in\n/)
  const nowhere = await at("get", join(far, "large"), join(near, "no/such/place"))
  expect(nowhere.screen.split(gone).at(-1)).toMatch(/^error: cannot write .*place \(ENOENT\)\n/)
}, 120_000)
