import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { disk, mountable, remountReadOnly } from "../harness/disk.ts"
import { cli, temporaryFolder } from "./spawn.ts"

const echo = join(import.meta.dirname, "echo-agent.ts")

const added = (folder: string): { id: string }[] =>
  JSON.parse(readFileSync(join(folder, "agents.json"), "utf8")).agents.map(({ id }: { id: string }) => ({ id }))

test("a command is added under its name; one that is nowhere to be found is added with a warning", async () => {
  using folder = temporaryFolder()
  const add = (...words: string[]) => cli(["agents", "add", "--data-dir", folder.path, ...words])
  const found = await add("--", "sh", "-c", "true")
  expect(found).toMatchObject({ code: 0, stderr: expect.stringMatching(/sh is \/\S*\/sh here; the daemon looks/) })
  const missing = await add("not-a-program-of-anybody", "--id", "later")
  expect(missing).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^added later \(not-a-program-of-anybody\) to \S+agents\.json\n$/),
  })
  expect(missing.stderr).toContain("not-a-program-of-anybody is not on the PATH")
  expect(added(folder.path)).toEqual([{ id: "sh" }, { id: "later" }])
})

test("in front of a whole command stands its id", async () => {
  using folder = temporaryFolder()
  const add = (...words: string[]) => cli(["agents", "add", "--data-dir", folder.path, ...words])
  expect(await add("mine", "--login", "MY_KEY", "--", "sh", "-c", "true")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("added mine (sh -c true) to "),
  })
  // What follows is flags of the command, where it begins with one.
  expect(await add("sh", "--", "-c", "true")).toMatchObject({
    stdout: expect.stringContaining("added sh (sh -c true)"),
  })
  // A path is no name.
  expect(await add("/bin/cat", "--", "words")).toMatchObject({
    stdout: expect.stringContaining("added cat (/bin/cat words)"),
  })
  expect(added(folder.path)).toEqual([{ id: "mine" }, { id: "sh" }, { id: "cat" }])
  expect(await add("mine", "--id", "yours", "--", "sh")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("its id is given twice: mine and --id yours"),
  })
})

test("its variables are named beside what its entry names, whatever it is added from", async () => {
  using folder = temporaryFolder()
  const add = (...words: string[]) => cli(["agents", "add", "--data-dir", folder.path, ...words])
  const traits = () => {
    const { agents } = JSON.parse(readFileSync(join(folder.path, "agents.json"), "utf8"))
    return agents.at(-1)._meta["sandboxagent.dev"]
  }
  const flags = ["--login", "MY_KEY", "--login", "MY_TOKEN", "--variable", "MY_*"]
  expect(await add("--id", "mine", ...flags, "--", "sh", "--login", "x")).toMatchObject({ code: 0 })
  expect(traits()).toEqual({ login: [{ env: "MY_KEY" }, { env: "MY_TOKEN" }], variables: ["MY_*"] })
  const said = { "sandboxagent.dev": { login: [{ file: ".x/login" }], variables: ["X_URL"], stability: "stable" } }
  const entry = { id: "x", name: "X", distribution: { command: { cmd: "sh" } }, _meta: said }
  expect(await add(JSON.stringify(entry), "--login", "X_KEY")).toMatchObject({ code: 0 })
  expect(traits()).toEqual({
    stability: "stable",
    login: [{ file: ".x/login" }, { env: "X_KEY" }],
    variables: ["X_URL"],
  })
  const wrong = await add("--id", "all", "--variable", "*", "--", "sh")
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("a name, or the beginning of names") })
})

test("what is named from here is kept by its whole path", async () => {
  using folder = temporaryFolder()
  const add = (...words: string[]) => cli(["agents", "add", "--data-dir", folder.path, ...words], { cwd: folder.path })
  const command = () => JSON.parse(readFileSync(join(folder.path, "agents.json"), "utf8")).agents.at(-1).distribution
  const script = join(folder.path, "agent.sh")
  writeFileSync(script, "#!/bin/sh\n", { mode: 0o755 })
  expect(await add("./agent.sh", "--id", "path")).toMatchObject({ code: 0, stderr: "" })
  expect(command()).toMatchObject({ command: { cmd: script } })
  expect(await add("--id", "script", "--", "sh", "agent.sh", "-c", "elsewhere.sh")).toMatchObject({ code: 0 })
  expect(command()).toMatchObject({ command: { cmd: "sh", args: [script, "-c", "elsewhere.sh"] } })
  writeFileSync(join(folder.path, "plain.sh"), "#!/bin/sh\n", { mode: 0o644 })
  expect(await add("./plain.sh")).toMatchObject({ code: 2, stderr: expect.stringContaining("chmod +x") })
  const entry = { id: "x", name: "X", distribution: { command: { cmd: "./agent.sh" } } }
  const refused = await add(JSON.stringify(entry))
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("relative path; give the whole one") })
})

test("what cannot be an agent is refused, and nothing is kept", async () => {
  using folder = temporaryFolder()
  const add = (...words: string[]) => cli(["agents", "add", "--data-dir", folder.path, ...words])
  writeFileSync(join(folder.path, "bad.json"), "{bad")
  const wrong: [words: string[], code: number, said: string][] = [
    [[], 2, "give an entry of the registry"],
    [[join(folder.path, "bad.json")], 2, "line 1, column 2"],
    [[join(folder.path, "none.json")], 2, "does not exist"],
    [[join(folder.path, "no-program")], 2, "is no program"],
    [['{"id":"x","name":"X","distribution":{}}'], 2, "names no npx"],
    [["sh", "--id", "claude"], 5, "one of our own agents"],
  ]
  for (const [words, code, said] of wrong)
    expect(await add(...words)).toMatchObject({ code, stderr: expect.stringContaining(said) })
  expect(() => added(folder.path)).toThrow("ENOENT")
})

test("one that was there is replaced, and a file that is not there is named", async () => {
  using folder = temporaryFolder()
  const add = (...words: string[]) => cli(["agents", "add", "--data-dir", folder.path, ...words])
  expect((await add("--id", "mine", "--", "sh", "-c", "true")).stderr).not.toContain("replaced")
  const again = await add("--id", "mine", "--", "sh", "agent.sh")
  expect([again.code, again.stderr]).toEqual([
    0,
    expect.stringContaining("mine was there already and has been replaced\n"),
  ])
  expect(again.stderr).toContain("warning: there is no file agent.sh; sessions fail until there is")
  const removed = await cli(["agents", "remove", "mine", "--data-dir", folder.path])
  expect(removed).toEqual({ code: 0, stdout: "removed mine\n", stderr: "" })
})

test("one that was removed answers no more, and goes on when it is added again", async () => {
  await using daemon = await startDaemon()
  const { api, dataDir } = daemon
  const words = ["agents", "add", "--data-dir", dataDir, "--id", "mine", "--", process.execPath, "--no-env-file", echo]
  expect(await cli(words)).toMatchObject({ code: 0 })
  await api.create("s", { agent: "mine" })
  expect((await api.turn("s", "Say this and nothing else: hello")).at(-1)).toMatchObject({ type: "turn.ended" })
  expect(await cli(["agents", "remove", "mine", "--data-dir", dataDir])).toMatchObject({ code: 0 })
  const refused = await api.call<{ type: string }>("POST", "/v1/sessions/s/messages", { message: "and now?" })
  expect([refused.status, refused.body.type]).toEqual([400, "urn:sandbox-agent:error:unsupported_agent"])
  expect((await api.items("s")).items.length).toBeGreaterThan(1)
  expect(await cli(words)).toMatchObject({ code: 0 })
  const ended = (await api.turn("s", "Say this and nothing else: again")).at(-1)
  expect(ended).toMatchObject({ type: "turn.ended", data: { stop_reason: "end_turn" } })
})

test.skipIf(!mountable)("a data directory that cannot be written is told in words", async () => {
  const dataDir = disk("1m")
  const flag = ["--data-dir", dataDir]
  expect((await cli(["agents", "add", ...flag, "--", "sh"])).code).toBe(0)
  remountReadOnly(dataDir)
  for (const words of [
    ["add", ...flag, "--", "bash"],
    ["remove", "sh", ...flag],
  ])
    expect(await cli(["agents", ...words])).toMatchObject({
      code: 9,
      stderr: expect.stringContaining(`the data directory ${dataDir} cannot be used`),
    })
})
