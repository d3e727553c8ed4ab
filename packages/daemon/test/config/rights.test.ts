import { rmSync } from "node:fs"
import { join } from "node:path"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { describe, expect, onTestFinished, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { inShell } from "../rights/agent-shell.ts"
import { isRoot } from "../rights/users.ts"
import { configOf, folder, skillText, statusOf } from "./client.ts"
import { repository } from "./repository.ts"

test("a process of an agent reads the config of a directory without its secrets, and changes none", async () => {
  await using daemon = await startDaemon()
  const { url, token, api } = daemon
  await api.create("spy", { permissionMode: "bypass" })
  const directory = folder("project")
  const { mcp, skills } = configOf(daemon, directory)
  const server = { type: "local", command: "sh", env: { KEY: "zebra-secret" } }
  await mcp.put("one", server)
  const sources = [{ type: "inline", source: "s", files: { "SKILL.md": skillText("s") } }]
  await skills.put("one", { sources })
  const curl = (method: string, path: string, body?: object) =>
    inShell(
      daemon,
      "spy",
      `curl -s -X ${method} -H 'authorization: Bearer ${token}' -H 'content-type: application/json' ${
        body === undefined ? "" : `-d '${JSON.stringify(body)}'`
      } '${url}${path}'`,
    )
  const at = (kind: string, name: string) => `/v1/config/${kind}?directory=${directory}&${name}=one`
  for (const [method, path, body] of [
    ["PUT", at("mcp", "mcpName"), { ...server, command: "touch" }],
    ["DELETE", at("mcp", "mcpName")],
    ["PUT", at("skills", "skillName"), { sources: [{ type: "local", source: directory }] }],
    ["DELETE", at("skills", "skillName")],
  ] as const)
    expect(JSON.parse(await curl(method, path, body)), `${method} ${path}`).toMatchObject({
      status: 403,
      detail: expect.stringContaining("change the config of a directory"),
    })
  const read = await curl("GET", at("mcp", "mcpName"))
  expect(JSON.parse(read)).toMatchObject({ command: "sh", env: { KEY: "********" } })
  expect(read).not.toContain("zebra")
  expect((await skills.get("one")).body).toEqual({ sources })
})

describe.runIf(isRoot)("where agents run as another user", { timeout: 120_000 }, () => {
  test("skills are fetched as that user, and no variable of the daemon goes into a header", async () => {
    const env = { FROM_DAEMON: "daemon-value" }
    const flags = ["--agent-user", "nobody", "--agent-path", `claude=${claudeBinary()}`]
    await using daemon = await startDaemon({ flags, cwd: "/", env })
    onTestFinished(() => rmSync(`${daemon.dataDir}-nobody`, { recursive: true, force: true }))
    const { mcp, skills } = configOf(daemon, "/tmp")
    await mcp.put("web", { type: "remote", url: "http://127.0.0.1:9/", bearerTokenEnvVar: "FROM_DAEMON" })
    const create = (id: string) => daemon.api.call("POST", `/v1/sessions/${id}`, { agent: "claude", directory: "/tmp" })
    expect(await create("web")).toMatchObject({ status: 400, body: { detail: expect.stringContaining("FROM_DAEMON") } })
    await mcp.delete("web")
    // The daemon could read it; that user cannot.
    const source = repository({ "SKILL.md": skillText("closed") }, join(daemon.dataDir, "repository"))
    await skills.put("one", { sources: [{ type: "git", source }] })
    expect(statusOf(await create("closed"))).toBe(503)
    const files = { "SKILL.md": skillText("open") }
    await skills.put("one", { sources: [{ type: "inline", source: "open", files }] })
    expect(statusOf(await create("open"))).toBe(201)
  })
})
