import { expect, test } from "vitest"
import { newSession } from "../../../src/faces/acp/projection/new-session.ts"
import { wrongs } from "./protocol-schema.ts"

const params = (more: object = {}, meta?: object) => ({
  cwd: "/project",
  mcpServers: [],
  ...more,
  ...(meta && { _meta: { "sandboxagent.dev": meta } }),
})

test("a plain one is a session of the agent in its directory", () => {
  expect(newSession(params(), "claude")).toEqual({ create: { agent: "claude", directory: "/project", metadata: {} } })
})

test("the whole map of metadata is kept, and what REST has a field for acts", () => {
  const meta = {
    agent: "claude",
    requestedSessionId: "mine",
    title: "T",
    model: "m",
    mode: "plan",
    variant: "high",
    permissionMode: "acceptEdits",
    skills: [{ name: "s", path: "/s" }],
    agentVersionRequested: "1.2.3",
    team: "a",
  }
  expect(newSession(params({}, meta), "claude")).toEqual({
    id: "mine",
    create: {
      agent: "claude",
      directory: "/project",
      title: "T",
      model: "m",
      agentMode: "plan",
      variant: "high",
      permissionMode: "acceptEdits",
      skills: [{ name: "s", path: "/s" }],
      agentVersion: "1.2.3",
      metadata: meta,
    },
  })
})

test("MCP servers of each kind", () => {
  const mcpServers = [
    { name: "files", command: "/bin/mcp", args: ["-x"], env: [{ name: "KEY", value: "v" }] },
    { type: "http", name: "web", url: "https://example.com", headers: [{ name: "A", value: "b" }] },
    { type: "sse", name: "old", url: "https://example.com/sse", headers: [] },
  ]
  expect(wrongs("NewSessionRequest", params({ mcpServers }))).toEqual([])
  expect(newSession(params({ mcpServers }), "claude").create.mcp).toEqual({
    files: { command: "/bin/mcp", args: ["-x"], env: { KEY: "v" } },
    web: { type: "http", url: "https://example.com", headers: { A: "b" } },
    old: { type: "sse", url: "https://example.com/sse", headers: {} },
  })
})

const bad: [string, unknown, RegExp][] = [
  ["nothing", undefined, /^params: /],
  ["no directory", { mcpServers: [] }, /^cwd: /],
  ["a relative directory", params({ cwd: "work" }), /^cwd: an absolute path/],
  ["a server that is none", params({ mcpServers: [{ name: "x" }] }), /^mcpServers\.0/],
  ["two servers of one name", params({ mcpServers: Array(2).fill({ name: "x", command: "y" }) }), /two are named "x"/],
  ["a mode of permission that is none", params({}, { permissionMode: "yolo" }), /^_meta.*permissionMode: /],
  ["an id that is none", params({}, { requestedSessionId: 7 }), /requestedSessionId: /],
  ["a title that is none", params({}, { title: 7 }), /title: /],
]
test.each(bad)("refuses %s", (_, given, detail) => {
  expect(() => newSession(given, "claude")).toThrow(detail)
  expect(() => newSession(given, "claude")).toThrow(expect.objectContaining({ code: "invalid_request" }))
})
