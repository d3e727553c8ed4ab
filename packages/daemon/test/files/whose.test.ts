import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { findUser } from "../../src/supervisor/users.ts"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { inShell, ways } from "../rights/agent-shell.ts"
import { isRoot } from "../rights/users.ts"
import { FilesClient, workspace } from "./files-api.ts"

const approver = new URL("../rights/approver.ts", import.meta.url).pathname

test("processes of agents are refused, with or without the token; other programs are not", async () => {
  await using daemon = await startDaemon()
  const folder = workspace()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await daemon.api.create("spy", { permissionMode: "bypass" })
  const ask = (method: string, path: string) =>
    [process.execPath, approver, daemon.url, daemon.token, "http", method, path, "{}"].map((w) => `'${w}'`).join(" ")
  const way = Object.values(ways)[0]
  for (const words of [ask("PUT", `/v1/fs/file?path=${folder}/x`), ask("DELETE", `/v1/fs/entry?path=${folder}`)])
    expect(await inShell(daemon, "spy", words, way)).toMatch(/^403 .*permission_denied/)
  await new FilesClient(daemon).ok("PUT", "file", { path: join(folder, "x") }, "by a client")
})

test.skipIf(!isRoot)(
  "with --agent-user what is made is that user's, and what is replaced stays whose it was",
  async () => {
    const nobody = findUser("nobody")
    await using daemon = await startDaemon({ cwd: scratch(), flags: ["--agent-user", "nobody"] })
    const folder = workspace()
    onTestFinished(() => {
      rmSync(folder, { recursive: true })
      rmSync(`${daemon.dataDir}-nobody`, { recursive: true, force: true })
    })
    const fs = new FilesClient(daemon)
    const at = (name: string) => join(folder, name)
    const owners = (...names: string[]) => names.map((name) => `${statSync(at(name)).uid}:${statSync(at(name)).gid}`)
    const theirs = `${nobody?.uid}:${nobody?.gid}`
    writeFileSync(at("roots"), "old")
    mkdirSync(at("src"))
    writeFileSync(at("src/file"), "")
    await fs.ok("PUT", "file", { path: at("a/b/new") }, "new")
    await fs.ok("POST", "mkdir", { path: at("made/deep") })
    await fs.ok("PUT", "file", { path: at("roots") }, "new")
    await fs.ok("POST", "copy", {}, { from: at("src"), to: at("copy"), recursive: true })
    expect(owners("a", "a/b", "a/b/new", "made", "made/deep", "copy", "copy/file")).toEqual(Array(7).fill(theirs))
    expect(owners("roots", "src")).toEqual(["0:0", "0:0"])
  },
)
