import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"
import type { Session } from "@sandbox-agent/schema/session"
import { describe, expect, test } from "vitest"
import type { Catalog } from "../../../src/core/driver.ts"
import { agentCapabilities, initializeResult } from "../../../src/faces/acp/projection/capabilities.ts"
import {
  configChange,
  metadataChange,
  modeChange,
  modelChange,
  modelList,
  sessionInfo,
  sessionState,
} from "../../../src/faces/acp/projection/session.ts"
import type { Settings } from "../../../src/faces/acp/projection/sources.ts"
import { wrongs } from "./protocol-schema.ts"

const catalog: Catalog = {
  modes: [
    { id: "build", name: "Build", description: "Does it" },
    { id: "plan", name: "Plan" },
  ],
  models: [
    { id: "large", name: "Large", variants: ["low", "high"], defaultVariant: "low" },
    { id: "small", name: "Small", variants: [] },
    { id: "odd", name: "Odd", variants: ["one"] },
  ],
  defaultModel: "large",
}
const settings = (more: Partial<Settings> = {}): Settings => ({
  agentMode: "build",
  permissionMode: "default",
  ...more,
})
const options = (given: Settings, from = catalog) =>
  Object.fromEntries(sessionState(given, from).configOptions.map((option) => [option.id, option]))

describe("the state of a session", () => {
  const all: [string, Settings, Catalog][] = [
    ["all defaults", settings(), catalog],
    ["everything chosen", settings({ model: "large", variant: "high", permissionMode: "plan" }), catalog],
    ["nothing the agent lists", settings({ agentMode: "x", model: "y", variant: "z" }), catalog],
    ["an agent that lists nothing", settings(), { modes: [], models: [] }],
  ]
  test.each(all)("is valid with %s, and every current value is one of its options", (_, given, from) => {
    const state = sessionState(given, from)
    expect(wrongs("NewSessionResponse", { sessionId: "one", ...state })).toEqual([])
    expect(wrongs("LoadSessionResponse", state)).toEqual([])
    for (const option of state.configOptions) {
      const values = "options" in option ? option.options.map((each) => ("value" in each ? each.value : "")) : []
      expect(values).toContain(option.currentValue)
      expect(new Set(values).size).toBe(values.length)
    }
    expect(state.modes.availableModes.map(({ id }) => id)).toContain(state.modes.currentModeId)
    if (state.models)
      expect(state.models.availableModels.map(({ modelId }) => modelId)).toContain(state.models.currentModelId)
  })

  test("has the options of the model in force", () => {
    expect(Object.keys(options(settings()))).toEqual(["mode", "model", "variant", "permission_mode"])
    expect(options(settings()).variant).toMatchObject({ currentValue: "low", category: "thought_level" })
    expect(options(settings({ model: "small" })).variant).toBeUndefined()
    expect(options(settings({ model: "odd" })).variant).toMatchObject({
      currentValue: "default",
      options: [{ value: "default" }, { value: "one" }],
    })
    expect(options(settings()).model).toMatchObject({ currentValue: "large", category: "model" })
    expect(options(settings({ permissionMode: "bypass" })).permission_mode).toMatchObject({ currentValue: "bypass" })
  })

  test("lists its models", () => {
    expect(modelList(settings({ model: "small" }), catalog)).toMatchObject({
      currentModelId: "small",
      defaultModel: "large",
      availableModels: [{ modelId: "large", variants: ["low", "high"], defaultVariant: "low" }, {}, {}],
    })
  })
})

describe("changes", () => {
  const change = (configId: unknown, value: unknown, given = settings()) => configChange({ configId, value }, given)

  test("of an option are changes of the setting it stands for", () => {
    expect(change("mode", "plan")).toEqual({ agentMode: "plan" })
    expect(change("model", "small")).toEqual({ model: "small" })
    expect(change("variant", "high")).toEqual({ variant: "high" })
    expect(change("permission_mode", "acceptEdits")).toEqual({ permissionMode: "acceptEdits" })
  })

  test("to the default that is in force already are none", () => {
    expect(change("variant", "default")).toEqual({})
    expect(change("variant", "default", settings({ variant: "low" }))).toEqual({ variant: "default" })
    expect(change("model", "default")).toEqual({})
    expect(change("model", "default", settings({ model: "small" }))).toEqual({ model: "default" })
  })

  test.each([
    ["color", "red"],
    [undefined, "red"],
    ["mode", true],
    ["mode", ""],
    ["permission_mode", "yolo"],
  ])("of %o to %o are refused", (configId, value) => {
    expect(() => change(configId, value)).toThrow(expect.objectContaining({ code: "invalid_request" }))
  })

  test("of mode and model by their own methods", () => {
    expect(modeChange({ modeId: "plan" })).toEqual({ agentMode: "plan" })
    expect(modelChange({ modelId: "small" })).toEqual({ model: "small" })
    for (const bad of [undefined, {}, { modeId: 1 }, { modeId: "" }]) expect(() => modeChange(bad)).toThrow(/^modeId: /)
    expect(() => modelChange({})).toThrow(/^modelId: /)
  })

  test("of metadata keep the whole map, and what is a setting acts", () => {
    const given = { title: "T", model: "m", mode: "plan", variant: "v", permissionMode: "plan", team: "b" }
    const changed = { title: "T", model: "m", agentMode: "plan", variant: "v", permissionMode: "plan" }
    const before = { team: "a", kept: 1 }
    expect(metadataChange({ metadata: given }, before)).toEqual({ ...changed, metadata: { ...given, kept: 1 } })
    expect(metadataChange({ _meta: { "sandboxagent.dev": { team: "b" } } }, before)).toEqual({
      metadata: { team: "b", kept: 1 },
    })
    for (const bad of [
      undefined,
      {},
      { metadata: [] },
      { metadata: { permissionMode: "yolo" } },
      { metadata: { title: 7 } },
    ])
      expect(() => metadataChange(bad, {})).toThrow(expect.objectContaining({ code: "invalid_request" }))
  })
})

const session: Session = {
  id: "one",
  agent: "claude",
  agentMode: "build",
  permissionMode: "default",
  model: "large",
  directory: "/project",
  title: "T",
  status: "idle",
  agentProcess: "none",
  background: 0,
  queue: [],
  pending: { permissions: 0, questions: 0 },
  firstSequence: 3,
  lastSequence: 12,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-02T00:00:00.000Z",
  metadata: { team: "a", agent: "not this" },
}

test("an entry of the list has the client's metadata and what the daemon knows", () => {
  expect(sessionInfo(session)).toEqual({
    sessionId: "one",
    cwd: "/project",
    title: "T",
    updatedAt: session.updatedAt,
    _meta: {
      "sandboxagent.dev": {
        team: "a",
        title: "T",
        mode: session.agentMode,
        agent: "claude",
        model: "large",
        permissionMode: "default",
        createdAt: session.createdAt,
        updatedAt: session.updatedAt,
        ended: false,
        eventCount: 12,
      },
    },
  })
  const bare = sessionInfo({ ...session, title: undefined, model: undefined, status: "ended" })
  expect(bare._meta).toMatchObject({ "sandboxagent.dev": { ended: true } })
  expect(bare._meta?.["sandboxagent.dev"]).not.toHaveProperty("model")
  expect(wrongs("ListSessionsResponse", { sessions: [bare, sessionInfo(session)] })).toEqual([])
})

describe("initialize", () => {
  const can = (given: boolean) => Object.fromEntries(capabilityNames.map((name) => [name, given])) as Capabilities

  test("is valid and advertises the extensions", () => {
    const result = initializeResult("1.2.3", { id: "claude", capabilities: can(true) })
    expect(wrongs("InitializeResponse", result)).toEqual([])
    expect(result).toMatchObject({ protocolVersion: 1, agentInfo: { name: "sandbox-agent", version: "1.2.3" } })
    expect(result.agentCapabilities?._meta).toEqual({
      "sandboxagent.dev": {
        agent: "claude",
        extensions: {
          sessionDetach: true,
          sessionTerminate: true,
          sessionListModels: true,
          sessionSetMetadata: true,
          sessionEnded: true,
          agentUnparsed: true,
          sessionAgentMetadata: true,
          storeDamaged: true,
          methods: [
            "_sandboxagent/session/detach",
            "_sandboxagent/session/terminate",
            "_sandboxagent/session/list_models",
            "_sandboxagent/session/set_metadata",
            "_sandboxagent/session/ended",
            "_sandboxagent/agent/unparsed",
            "_sandboxagent/store/damaged",
          ],
        },
      },
    })
  })

  test("promises what the agent can", () => {
    expect(agentCapabilities({ id: "x", capabilities: can(true) })).toMatchObject({
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
    })
    const cannot = agentCapabilities({ id: "x", capabilities: can(false) })
    expect(cannot.mcpCapabilities).toEqual({ http: false, sse: false })
    expect(cannot.sessionCapabilities).not.toHaveProperty("fork")
  })
})
