import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Api } from "../src/api.ts"
import type { DriverSuite } from "../src/driver-suite.ts"
import { codeIn } from "../src/refused.ts"
import type { RunningDaemon } from "../src/subject.ts"

export type Answer = readonly [status: number, code: string]
export const taken = [201, "healthy"] as const
const bad = [400, "invalid_request"] as const
const cannot = [501, "not_supported"] as const

/** What an agent answers where agents differ: it can take such an option, or not. */
export interface CreateOptions {
  systemPrompt: boolean
  skills: boolean
  mcp: readonly string[]
  variants: boolean
  version: boolean
  /** Its driver says which versions it can speak to. */
  range?: boolean
  /** One that it could speak to, and that was never released. */
  unreleased?: string
}

const stdio = { command: process.execPath, args: ["--version"] }

/** Every option, as it should be and as nobody could use it, and what the agent has to answer. */
function table(takes: CreateOptions, directory: string): [string, object, Answer][] {
  const may = (can: boolean, answer: Answer): Answer => (can ? answer : cannot)
  const skill = (more: object) => ({ skills: [{ name: "poem", ...more }] })
  const mcp = (server: object, name = "one") => ({ mcp: { [name]: server } })
  const over = (type: string) => takes.mcp.includes(type)
  return [
    ["no option", {}, taken],
    ["an unknown option", { nonsense: 1 }, bad],
    ["an unknown mode", { agentMode: "no-such-mode" }, [400, "mode_not_supported"]],
    ["an unknown permission mode", { permissionMode: "yolo" }, bad],
    ["an unknown model", { model: "no-such-model" }, bad],
    ["an unknown variant", { variant: "no-such-variant" }, may(takes.variants, bad)],
    ["a directory that is not there", { directory: "/no/such/place" }, bad],
    [
      "a version that is not there",
      { agentVersion: takes.unreleased ?? "1.0.0-none" },
      takes.version ? [500, "install_failed"] : cannot,
    ],
    [
      "a version nobody can drive",
      { agentVersion: "0.0.0-none" },
      may(takes.version && !takes.range, [500, "install_failed"]),
    ],
    ["a system prompt", { systemPrompt: "Be brief." }, may(takes.systemPrompt, taken)],
    ["a skill", skill({ content: "# Poems\nWrite one." }), may(takes.skills, taken)],
    ["a skill in a folder", skill({ path: join(directory, "poem") }), may(takes.skills, taken)],
    ["a skill that is not there", skill({ path: "/no/such/skill" }), may(takes.skills, bad)],
    ["a skill without a head", skill({ path: join(directory, "headless") }), may(takes.skills, bad)],
    ["a skill of neither path nor content", skill({}), bad],
    ["a skill whose name none can have", { skills: [{ name: "My Poem", content: "x" }] }, bad],
    ["an MCP server", mcp(stdio), may(over("stdio"), taken)],
    ["an MCP server without its program", mcp({ command: "/no/such/program" }), may(over("stdio"), bad)],
    ["an MCP server whose name none can have", mcp(stdio, "a.b"), bad],
    ["an MCP server over http", mcp({ type: "http", url: "http://127.0.0.1:1/mcp" }), may(over("http"), taken)],
    ["an MCP server over SSE", mcp({ type: "sse", url: "http://127.0.0.1:1/sse" }), may(over("sse"), taken)],
    ["an MCP server at no address", mcp({ type: "http", url: "nowhere" }), bad],
    ["a native session that is not there", { nativeSessionId: "5b1c1d44-0000-4000-8000-000000000000" }, [404, ""]],
  ]
}

/** The one rule of create, on one agent. `adopt`: what a native session that does not exist comes to. */
export function runCreateTable(agent: string, start: DriverSuite["start"], takes: CreateOptions, adopt: Answer): void {
  describe(`create on ${agent}`, () => {
    let api: Api
    let daemon: RunningDaemon
    let directory: string
    let common: object
    let stop: (() => Promise<void>) | undefined
    beforeAll(async () => {
      const { subject, stage, stop: end } = await start()
      stop = end
      directory = stage.directory
      common = subject.session ?? {}
      for (const [name, text] of [
        ["poem", "---\nname: poem\ndescription: Writes poems\n---\nWrite one."],
        ["headless", "Write one."],
      ] as const) {
        mkdirSync(join(directory, name), { recursive: true })
        writeFileSync(join(directory, name, "SKILL.md"), text)
      }
      daemon = await stage.start()
      api = new Api(daemon.url, daemon.token)
    }, 120_000)
    afterAll(async () => {
      await daemon?.stop()
      await stop?.()
    })

    const names = table(takes, "").map(([name]) => name)
    test.each(names)(
      "%s",
      async (name) => {
        const [, body, answer] = table(takes, directory).find(([one]) => one === name) ?? []
        const expected = answer?.[1] === "" ? adopt : answer
        const path = "/v1/sessions/table"
        const created = await api.call("POST", path, { agent, directory, ...common, ...body })
        const { healthy, error } = created.body as { healthy?: boolean; error?: object }
        const code = healthy === true ? "healthy" : healthy === false ? JSON.stringify(error) : codeIn(created.body)
        expect([created.status, code], JSON.stringify(created.body)).toEqual(expected)
        const left = await api.call("GET", path)
        expect(left.status).toBe(created.status === 201 ? 200 : 404)
        if (created.status === 201) await api.call("DELETE", path)
        else if (created.status === 501) expect(created.body).toMatchObject({ option: expect.any(String) })
        expect((await api.ok<{ sessions: [] }>("GET", "/v1/sessions")).sessions).toEqual([])
        const { process, capabilities } = await api.ok<{ process: object; capabilities: Record<string, boolean> }>(
          "GET",
          `/v1/agents/${agent}`,
        )
        // One that sessions share may stay for the next.
        if (!capabilities.sharedProcess) expect(process).toMatchObject({ status: "stopped" })
      },
      180_000,
    )

    test("the same over ACP, and in a session that is there", async () => {
      const _meta = (ours: object) => ({ "sandboxagent.dev": ours })
      const post = (message: object) =>
        fetch(`${daemon.url}/v1/rpc?agent=${agent}`, {
          method: "POST",
          headers: { authorization: `Bearer ${daemon.token}`, "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
        }).then((response) => response.json() as Promise<{ error?: { data?: { code?: string } } }>)
      await post({ method: "initialize", params: { protocolVersion: 1, _meta: _meta({ agent }) } })
      const refused = async (ours: object) => {
        const params = { cwd: directory, mcpServers: [], _meta: _meta({ agent, requestedSessionId: "acp", ...ours }) }
        return (await post({ method: "session/new", params })).error?.data?.code
      }
      expect(await refused({ mode: "no-such-mode" })).toBe("mode_not_supported")
      expect((await api.call("GET", "/v1/sessions/acp")).status).toBe(404)
      if (Object.keys(common).length === 0) expect(await refused({ model: "no-such-model" })).toBe("invalid_request")
      expect((await api.call("GET", "/v1/sessions/acp")).status).toBe(404)

      await api.call("POST", "/v1/sessions/there", { agent, directory, ...common })
      const change = async (body: object) => {
        const { status, body: problem } = await api.call("PATCH", "/v1/sessions/there", body)
        return [status, codeIn(problem)]
      }
      const before = await api.session("there")
      expect(await change({ agentMode: "no-such-mode" })).toEqual([400, "mode_not_supported"])
      expect(await change({ model: "no-such-model" })).toEqual(bad)
      expect(await change({ variant: "no-such-variant" })).toEqual(takes.variants ? bad : cannot)
      const { agentMode, model, variant } = await api.session("there")
      expect({ agentMode, model, variant }).toEqual({
        agentMode: before.agentMode,
        model: before.model,
        variant: before.variant,
      })
      await api.call("DELETE", "/v1/sessions/there")
    }, 180_000)
  })
}
