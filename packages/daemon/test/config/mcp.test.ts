import { readFileSync, rmSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { answersIn, play, startPuppet } from "../hostile/puppet.ts"
import { configOf, folder, statusOf } from "./client.ts"

const local = { type: "local", command: process.execPath, args: ["--version"] }
const remote = { type: "remote", url: "http://127.0.0.1:9/mcp" }
const secret = "zebra-4711-secret"

describe("MCP servers of a directory", () => {
  test("are stored, read without their secrets, listed, replaced and deleted", async () => {
    const dataDir = scratch()
    const directory = folder("project")
    const daemon = await startDaemon({ dataDir })
    const { mcp } = configOf(daemon, directory)
    expect(await mcp.get("files")).toMatchObject({ status: 404, body: { detail: expect.stringContaining("files") } })
    expect((await mcp.get()).body).toEqual({ servers: [] })
    const given = { ...local, cwd: null, enabled: true, env: { KEY: secret }, timeoutMs: 5000 }
    expect(await mcp.put("files", given)).toMatchObject({ status: 204, body: "" })
    const web = { ...remote, headers: { "x-key": secret }, envHeaders: { "x-more": "MORE" }, transport: "sse" }
    expect(statusOf(await mcp.put("web", { ...web, oauth: null }))).toBe(204)
    const shown = { ...given, env: { KEY: "********" } }
    expect((await mcp.get("files")).body).toEqual(shown)
    const shownWeb = { ...web, oauth: null, headers: { "x-key": "********" } }
    expect((await mcp.get()).body).toEqual({
      servers: [
        { name: "files", config: shown },
        { name: "web", config: shownWeb },
      ],
    })
    await daemon.stop()
    const file = join(dataDir, "sandbox-agent.db")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file).includes(secret)).toBe(true)

    await using again = await startDaemon({ dataDir })
    const { mcp: kept } = configOf(again, directory)
    expect((await kept.get("files")).body).toEqual(shown)
    // What was read is written back: hidden values are those that are stored, for the same program only.
    expect(statusOf(await kept.put("files", { ...shown, enabled: false }))).toBe(204)
    expect(await kept.put("files", { ...shown, command: "other" })).toMatchObject({ status: 400 })
    expect(await kept.put("web", { ...shownWeb, url: "http://127.0.0.1:10/" })).toMatchObject({ status: 400 })
    expect(await kept.put("new", { ...local, env: { KEY: "********" } })).toMatchObject({ status: 400 })
    for (const name of ["files", "web"]) expect(statusOf(await kept.delete(name))).toBe(204)
    expect(statusOf(await kept.delete("files"))).toBe(404)
    for (const name of [file, `${file}-wal`]) expect(readFileSync(name).includes(secret), name).toBe(false)
  })

  test.each<[string, object, number, RegExp]>([
    ["a login", { ...remote, oauth: {} }, 501, /oauth/],
    ["another transport", { ...remote, transport: "carrier-pigeon" }, 400, /carrier-pigeon/],
    ["a header twice", { ...remote, headers: { "X-A": "1" }, envHeaders: { "x-a": "B" } }, 400, /x-a/],
    ["a token beside its header", { ...remote, headers: { authorization: "x" }, bearerTokenEnvVar: "T" }, 400, /twice/],
    ["an address with a login", { ...remote, url: "https://me:pass@host/mcp" }, 400, /login/],
    ["an address of another kind", { ...remote, url: "file:///etc/passwd" }, 400, /http/],
    ["a field of the other kind", { ...local, url: "http://127.0.0.1/" }, 400, /url/],
    ["no kind", { command: "x" }, 400, /type/],
    ["no program", { type: "local" }, 400, /command/],
    ["a time without end", { ...local, timeoutMs: 10 ** 9 }, 400, /timeoutMs/],
    ["a variable of no name", { ...local, env: { "A B": "x" } }, 400, /env/],
  ])("refuse %s", async (_, config, status, words) => {
    await using daemon = await startDaemon({ flags: ["--store", "memory"] })
    const { mcp } = configOf(daemon, folder())
    expect(await mcp.put("x", config)).toMatchObject({ status, body: { detail: expect.stringMatching(words) } })
    expect((await mcp.get()).body).toEqual({ servers: [] })
  })

  test("are of the directory that it really is, within --fs-root", async () => {
    const root = folder("root")
    const inside = join(root, "link")
    const project = folder("elsewhere")
    symlinkSync(project, inside)
    await using daemon = await startDaemon({ flags: ["--store", "memory"] })
    expect(statusOf(await configOf(daemon, inside).mcp.put("one", local))).toBe(204)
    expect((await configOf(daemon, project).mcp.get()).body).toMatchObject({ servers: [{ name: "one" }] })
    await using confined = await startDaemon({ flags: ["--store", "memory", "--fs-root", root], cwd: root })
    for (const directory of [inside, project]) {
      const { mcp } = configOf(confined, directory)
      for (const answer of [
        await mcp.put("one", local),
        await mcp.get(),
        await mcp.get("one"),
        await mcp.delete("one"),
      ])
        expect(answer).toMatchObject({ status: 403 })
    }
    expect(statusOf(await configOf(confined, root).mcp.put("one", local))).toBe(204)
    expect(statusOf(await configOf(confined, join(root, "nowhere")).mcp.put("one", local))).toBe(400)
    expect(statusOf(await configOf(confined, "relative").mcp.put("one", local))).toBe(400)
    expect(statusOf(await configOf(confined, root).mcp.put("no name", local))).toBe(400)
  })
})

describe("sessions of a directory", () => {
  const servers = async (daemon: Awaited<ReturnType<typeof startPuppet>>, session: string) =>
    answersIn(await play(daemon, session, [{ wholeServers: true }]))[0] as unknown as { name: string }[]

  test("have its servers beside those given at create, which win by name", async () => {
    await using daemon = await startPuppet([], ["web"], { FROM_DAEMON: "daemon-value" })
    const directory = folder("project", "sub")
    const link = join(scratch(), "link")
    symlinkSync(directory, link)
    const { mcp } = configOf(daemon, directory)
    await mcp.put("plain", { ...local, env: { A: "1" } })
    await mcp.put("off", { ...local, enabled: false })
    await mcp.put("others", { ...local, agents: ["claude"] })
    await mcp.put("same", { ...local, args: ["of the directory"] })
    const headers = {
      headers: { "x-plain": "p" },
      envHeaders: { "x-env": "FROM_ENV" },
      bearerTokenEnvVar: "FROM_DAEMON",
    }
    await mcp.put("web", { ...remote, ...headers })
    await mcp.put("old", { ...remote, transport: "sse" })
    const given = { same: { command: process.execPath, args: ["of create"] } }
    const create = (id: string, body: object = {}) =>
      daemon.api.call("POST", `/v1/sessions/${id}`, { agent: "puppet", directory: link, ...body })
    expect(await create("none")).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("FROM_ENV"), hint: expect.stringContaining("env") },
    })
    expect(statusOf(await daemon.api.call("GET", "/v1/sessions/none"))).toBe(404)
    expect(await create("one", { mcp: given, env: { FROM_ENV: "env-value" } })).toMatchObject({
      body: { healthy: true },
    })
    const at = (name: string, args: string[], env: object[] = []) => ({ name, command: process.execPath, args, env })
    const had = [
      { type: "sse", name: "old", url: remote.url, headers: [] },
      at("plain", ["--version"], [{ name: "A", value: "1" }]),
      at("same", ["of create"]),
      {
        type: "http",
        name: "web",
        url: remote.url,
        headers: [
          { name: "x-plain", value: "p" },
          { name: "x-env", value: "env-value" },
          { name: "Authorization", value: "Bearer daemon-value" },
        ],
      },
    ]
    const sorted = (all: { name: string }[]) => all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    expect(sorted(await servers(daemon, "one"))).toEqual(had)
    // What a session has stays with it; another directory has none.
    for (const name of ["plain", "off", "others", "same", "web", "old"])
      expect(statusOf(await mcp.delete(name))).toBe(204)
    expect(sorted(await servers(daemon, "one"))).toEqual(had)
    await create("two")
    expect(await servers(daemon, "two")).toEqual([])
  })

  test("run a server where it was told to, and are refused for what the agent cannot take or nobody could use", async () => {
    await using daemon = await startPuppet(["--store", "memory"])
    const directory = folder("project")
    const { mcp } = configOf(daemon, directory)
    const create = (id: string, agent = "puppet") => daemon.api.call("POST", `/v1/sessions/${id}`, { agent, directory })
    await mcp.put("placed", { type: "local", command: "sh", args: ["-c", "pwd; echo $1", "x", "a b"], cwd: "in here" })
    expect(await create("nowhere")).toMatchObject({ status: 400, body: { detail: expect.stringContaining("cwd") } })
    const place = folder("some where")
    await mcp.put("placed", { type: "local", command: "sh", args: ["-c", "pwd; echo $1", "x", "a b"], cwd: place })
    await create("placed")
    const [{ command, args }] = (await servers(daemon, "placed")) as unknown as [{ command: string; args: string[] }]
    expect(Bun.spawnSync([command, ...args]).stdout.toString()).toBe(`${place}\na b\n`)

    const refused = async (config: object, agent: string, status: number, body: object) => {
      await mcp.put("placed", config)
      expect(await create("refused", agent)).toMatchObject({ status, body })
      expect(statusOf(await daemon.api.call("GET", "/v1/sessions/refused"))).toBe(404)
    }
    const hint = expect.stringContaining("/v1/config/mcp")
    await refused({ ...local, command: "/no/such/program" }, "puppet", 400, { hint })
    await refused({ ...local, timeoutMs: 1000 }, "puppet", 501, { option: "mcp" })
    await refused(local, "mock", 501, { option: "mcp" })
    await refused(remote, "puppet", 501, { option: "mcp" })
    await mcp.put("placed", { ...local, agents: ["puppet"] })
    expect(await create("mock", "mock")).toMatchObject({ status: 201 })
    rmSync(directory, { recursive: true })
    expect((await mcp.get()).body).toMatchObject({ servers: [{ name: "placed" }] })
  })
})
