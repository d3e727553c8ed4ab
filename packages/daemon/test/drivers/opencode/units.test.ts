import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { describe, expect, test } from "vitest"
import { configContent, permissionContent } from "../../../src/drivers/opencode/config.ts"
import { eventData } from "../../../src/drivers/opencode/event-stream.ts"
import { credentialFingerprint } from "../../../src/drivers/opencode/fingerprint.ts"
import { nativeId } from "../../../src/drivers/opencode/ids.ts"
import { launchFor } from "../../../src/drivers/opencode/launch.ts"
import { commandIn, promptParts } from "../../../src/drivers/opencode/message.ts"
import type { Agent, AssistantMessage, NativeError, Rule } from "../../../src/drivers/opencode/native.ts"
import { permissionOf } from "../../../src/drivers/opencode/permission.ts"
import { freePort } from "../../../src/drivers/opencode/port.ts"
import { closed, ordinary } from "../../../src/drivers/opencode/project.ts"
import { serverPermission, sessionRules } from "../../../src/drivers/opencode/rules.ts"
import { Turns } from "../../../src/drivers/opencode/turns.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { scratch } from "../../harness/daemon.ts"
import { foldersAt } from "../folders.ts"

describe("the event stream", () => {
  const read = async (...chunks: string[]) => {
    const oversize: number[] = []
    const body = (async function* () {
      for (const chunk of chunks) yield new TextEncoder().encode(chunk)
    })()
    const data = await Array.fromAsync(eventData(body, (_, bytes) => oversize.push(bytes)))
    return { data, oversize }
  }

  test("is cut into events wherever the pieces end", async () => {
    const whole = 'data: {"a":1}\n\n: a comment\n\ndata: {"b":"ü"}\r\n\r\n'
    expect((await read(...whole)).data).toEqual(['{"a":1}', '{"b":"ü"}'])
    expect((await read(whole)).data).toEqual(['{"a":1}', '{"b":"ü"}'])
  })

  test("passes over an event beyond agentLineBytes, in one piece or in many, and goes on", async () => {
    const half = "x".repeat(limits.agentLineBytes / 2 + 10)
    const { data, oversize } = await read(
      "data: one\n\n",
      "data: ",
      half,
      half,
      "\n\ndata: two\n\n",
      `data: ${half}${half}\n\ndata: three\n\n`,
    )
    expect(data).toEqual(["one", "two", "three"])
    expect(oversize).toHaveLength(2)
    expect(oversize.every((bytes) => bytes > limits.agentLineBytes)).toBe(true)
  })

  test("counts agentLineBytes in bytes, in one piece or in many", async () => {
    const half = "語".repeat(limits.agentLineBytes / 6 + 10)
    const whole = Buffer.byteLength(`data: ${half}${half}`)
    const { data, oversize } = await read("data: ", half, half, "\n\n", `data: ${half}${half}\n\n`, `data: ${half}\n\n`)
    expect([data, oversize]).toEqual([[half], [whole, whole]])
  })
})

test("ids grow, also within a millisecond and when the clock goes back", () => {
  const ids = [
    nativeId("msg", 1_800_000_000_000),
    nativeId("msg", 1_800_000_000_000),
    nativeId("msg", 1_700_000_000_000),
  ]
  expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)))
  expect(ids[0]).toMatch(/^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/)
})

describe("configuration", () => {
  test("of the user stays, ours is laid over it", () => {
    const theirs =
      '{ "model": "a/b", /* theirs */ "experimental": { "x": 1 }, "mcp": { "own": { "type": "local", "command": ["x"] } } }'
    const mcp = {
      probe: { command: "node", args: ["p.js"], env: { A: "1" } },
      far: { type: "http" as const, url: "http://far" },
    }
    const content = JSON.parse(configContent({ OPENCODE_CONFIG_CONTENT: theirs }, mcp, "/skills"))
    expect(content).toMatchObject({
      model: "a/b",
      experimental: { x: 1, continue_loop_on_deny: true },
      mcp: {
        own: { command: ["x"] },
        probe: { type: "local", command: ["node", "p.js"], environment: { A: "1" }, enabled: true },
        far: { type: "remote", url: "http://far" },
      },
      skills: { paths: ["/skills"] },
    })
  })

  test("that is not JSON is refused, with its name", () => {
    expect(() => configContent({ OPENCODE_CONFIG_CONTENT: "{" }, undefined, undefined)).toThrow(
      /OPENCODE_CONFIG_CONTENT/,
    )
  })

  test("of permissions is put behind what the user wrote, where it decides", () => {
    const keys = Object.keys(JSON.parse(permissionContent({ OPENCODE_PERMISSION: '{"bash":"allow","*":"allow"}' })))
    expect(keys.slice(0, 3)).toEqual(["bash", "*", "**"])
  })
})

describe("rules of a session", () => {
  const flat = (permission: object): Rule[] =>
    Object.entries(permission).flatMap(([name, value]) =>
      typeof value === "string"
        ? [{ permission: name, pattern: "*", action: value as Rule["action"] }]
        : Object.entries(value as object).map(([pattern, action]) => ({ permission: name, pattern, action })),
    )
  const agent = (name: string, before: object, after: object = {}): Agent => ({
    name,
    mode: "primary",
    options: {},
    permission: [...flat(before), ...flat(serverPermission), ...flat(after)],
  })
  const last = (rules: Rule[], permission: string) =>
    rules.findLast((rule) => rule.permission === permission || rule.permission === "*")?.action

  test("ask for all that is not reading, whatever the agent's own say", () => {
    const rules = sessionRules(
      [agent("build", { "*": "allow", question: "deny" }, { bash: "allow" })],
      "build",
      undefined,
    )
    expect(["bash", "edit", "webfetch", "any_tool", "external_directory"].map((name) => last(rules, name))).toEqual(
      Array(5).fill("ask"),
    )
    expect(["glob", "question", "todowrite", "task", "skill"].map((name) => last(rules, name))).toEqual(
      Array(5).fill("allow"),
    )
    expect(rules.filter(({ permission }) => permission === "read").map(({ pattern }) => pattern)).toContain("*.env")
  })

  test("keep what the user denies, for all agents and for one", () => {
    const agents = [
      agent("build", { "*": "allow", webfetch: "deny", plan_exit: "deny" }),
      agent("plan", { "*": "allow", webfetch: "deny", edit: "deny" }),
      agent("mine", { webfetch: "deny" }, { "*": "deny", read: "allow", bash: "allow" }),
    ]
    expect(["webfetch", "edit"].map((name) => last(sessionRules(agents, "plan", undefined), name))).toEqual([
      "deny",
      "ask",
    ])
    const mine = sessionRules(agents, "mine", undefined)
    expect(["edit", "read", "bash"].map((name) => last(mine, name))).toEqual(["deny", "allow", "ask"])
  })
})

describe("a permission", () => {
  const asked = {
    id: "per_1",
    sessionID: "ses_1",
    metadata: {},
    permission: "bash",
    patterns: ["ls", "rm x"],
    always: ["rm *", "ls *"],
  }

  test("of several patterns counts as one rule", () => {
    const rules = (...always: string[]) => permissionOf({ ...asked, always }, { command: "ls && rm x" }, "/w").covers
    expect(rules("rm *", "ls *")).toEqual(rules("ls *", "rm *"))
    for (const one of ["ls *", "rm *", "ls * + bash:rm *"]) expect(rules(one)).not.toEqual(rules("ls *", "rm *"))
  })

  test("that only reads says so", () => {
    const kinds = ["read", "external_directory", "edit", "webfetch", "probe_ping"].map((permission) => {
      const { kind, readOnly } = permissionOf({ ...asked, permission }, {}, "/w")
      return [kind, readOnly]
    })
    expect(kinds).toEqual([
      ["other", true],
      ["other", true],
      ["file_change", false],
      ["network", false],
      ["tool", false],
    ])
  })
})

test("a message has the same parts when it is sent again, and commands are only those there are", async () => {
  const parts = await promptParts(
    {
      id: "m",
      text: "hi",
      attachments: [{ path: "/nowhere/x.bin", mime: "application/zip" }],
    },
    new Confinement(),
  )
  expect(parts).toEqual([
    { type: "text", text: "hi\n\nAttached files:\n- /nowhere/x.bin", id: expect.stringMatching(/^prt_/) },
  ])
  const commands = [{ name: "init", template: "", hints: [] }]
  expect(commandIn("/init all of\nit", commands)).toEqual({ command: "init", arguments: "all of\nit" })
  expect(commandIn("/other", commands)).toBeUndefined()
})

test("sessions share a server exactly when it would be started alike", async () => {
  const host = {
    ...foldersAt(scratch()),
    environment: (given: object) => ({ ...process.env, ...given }),
  } as never
  const launcher = { command: [process.execPath], env: {} }
  const key = async (env: Record<string, string>, settings: object = {}, project = ordinary) =>
    (await launchFor(launcher, { from: { kind: "new" }, directory: "/w", env, settings }, host, {}, project)).key
  const skills = [{ name: "a", content: "b" }]
  expect(await key({ A: "1", B: "2" })).toBe(await key({ B: "2", A: "1" }))
  expect(await key({}, { skills })).toBe(await key({}, { skills: [...skills] }))
  const different = await Promise.all([
    key({}),
    key({ A: "1" }),
    key({ XDG_DATA_HOME: "/d" }),
    key({}, { skills }),
    key({}, { mcp: { a: { command: "x" } } }),
    key({}, {}, { ...ordinary, free: true }),
    key({}, {}, closed),
    key({}, {}, { ...closed, config: { instructions: ["/w/AGENTS.md"] } }),
  ])
  expect(new Set(different).size).toBe(different.length)
})

test("another login needs another server, a renewed token does not", async () => {
  const home = join(scratch(), "opencode")
  mkdirSync(home)
  const after = (auth: object) => {
    writeFileSync(join(home, "auth.json"), JSON.stringify(auth))
    return credentialFingerprint(home, { reach: new Confinement() })
  }
  const none = await credentialFingerprint(home, { reach: new Confinement() })
  const oauth = { type: "oauth", refresh: "r", access: "a1", expires: 1 }
  const one = await after({ anthropic: oauth })
  expect(await after({ anthropic: { ...oauth, access: "a2", expires: 2 } })).toBe(one)
  const keyed: string[] = []
  for (const key of ["k1", "k2"]) keyed.push(await after({ anthropic: oauth, openai: { type: "api", key } }))
  expect(new Set([none, one, ...keyed]).size).toBe(4)
})

test("a free port is one of ours, and not one that was tried", async () => {
  const port = await freePort(new Set())
  expect(port >= 4200 && port <= 4300).toBe(true)
  const ours = new Set(Array.from({ length: 101 }, (_, i) => 4200 + i))
  expect(ours.has(await freePort(ours))).toBe(false)
})

describe("turns that break down before an answer", () => {
  const nothing = () => undefined
  const sink = { taken: nothing, turnStarted: nothing, turnEnded: nothing, error: nothing }
  const events = { began: nothing, early: nothing, ended: nothing }
  const set = () => {
    const turns = new Turns(sink as unknown as ConstructorParameters<typeof Turns>[0], events)
    let n = 0
    const turn = (name?: string) => {
      const id = `msg_${++n}`
      turns.sent(id, { messageId: id, steered: false })
      turns.user({ id })
      if (name !== undefined) turns.error({ name, data: { message: "TypeError: it is undefined" } } as NativeError)
      else turns.assistant({ id: `a${id}`, parentID: id, time: { created: 1, completed: 2 } } as AssistantMessage)
      turns.idle()
    }
    return { turns, turn }
  }

  test("are counted in a row", () => {
    const { turns, turn } = set()
    for (let n = 1; n < limits.resumeTries; n++) turn("UnknownError")
    expect(turns.brokenBy).toBeUndefined()
    turn("UnknownError")
    expect(turns.brokenBy).toBe("TypeError: it is undefined")
    turn()
    expect(turns.brokenBy).toBeUndefined()
  })

  test("are not those that a provider ends", () => {
    const { turns, turn } = set()
    for (let n = 0; n < limits.resumeTries; n++) turn("APIError")
    expect(turns.brokenBy).toBeUndefined()
  })
})
