import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { mcpProbe } from "@sandbox-agent/conformance/mcp-probe"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { describe, expect, test } from "vitest"
import { closeProcess } from "../../../src/core/process.ts"
import type { Session } from "../../../src/core/session.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { scratch } from "../../harness/daemon.ts"
import { scriptedConfig } from "./environment.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const bash = (command: string) => toolCall("bash", { command, description: "As told" })
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const last = (session: Session): ModelRequest => {
  const found = shared.live.model.requestsOf(session.record.native.id ?? "").at(-1)
  if (found === undefined) throw new Error("the model was not asked")
  return found
}
const textOf = (session: Session): string => JSON.stringify(last(session).body)

describe("settings", { timeout: 180_000 }, () => {
  test("model, variant and mode go with each prompt, and unknown ones are refused", async () => {
    const { live } = shared
    const session = await live.open(["one", "two", "three", "four"], { variant: "fast" })
    await live.run("first", session)
    expect([last(session).model, last(session).effort]).toEqual(["one", "low"])
    expect(await patchSession(session, { variant: "deep" })).toBe("now")
    await live.run("second", session)
    expect(last(session).effort).toBe("high")
    expect(await patchSession(session, { model: "scripted/two" })).toBe("now")
    await live.run("third", session)
    expect([last(session).model, last(session).effort]).toEqual(["two", undefined])
    expect(await patchSession(session, { agentMode: "plan" })).toBe("now")
    await live.run("fourth", session)
    expect(textOf(session)).toContain("Plan Mode")
    const refused = async (patch: object) => patchSession(session, patch).catch(({ code }: { code: string }) => code)
    expect(await refused({ variant: "enormous" })).toBe("invalid_request")
    expect(await refused({ model: "scripted/none" })).toBe("invalid_request")
    expect(await refused({ agentMode: "general" })).toBe("mode_not_supported")
    expect(live.wrongs()).toEqual([])
  })

  test("attachments: a picture is seen, a text is read, the rest is named", async () => {
    const { live } = shared
    const session = await live.open(["seen"])
    writeFileSync(live.file(session, "notes.txt"), "NOTE-MARK")
    writeFileSync(live.file(session, "data.bin"), Buffer.from([0, 1, 2]))
    const attachments = [
      { data: png, mime: "image/png", filename: "dot.png" },
      { path: "notes.txt" },
      { path: live.file(session, "data.bin") },
    ]
    await live.run("look", session, attachments)
    expect(last(session).messages.flatMap(({ images }) => images.map(({ mediaType }) => mediaType))).toEqual([
      "image/png",
    ])
    expect(textOf(session)).toContain("NOTE-MARK")
    expect(textOf(session)).toContain("data.bin")
    const [user] = live.items(session)
    expect(user?.content.map(({ type }) => type)).toEqual(["text", "image", "file_ref", "file_ref"])
    expect(live.wrongs()).toEqual([])
  })

  test("commands are listed and run, /compact makes room", async () => {
    const { live } = shared
    const directory = scratch()
    mkdirSync(join(directory, ".opencode", "command"), { recursive: true })
    writeFileSync(
      join(directory, ".opencode", "command", "greet.md"),
      "---\ndescription: Greets\n---\nGREET-MARK $ARGUMENTS",
    )
    const session = await live.open(["hello", "summary", "on"], { directory })
    const commands = live.of("session.updated", session).flatMap(({ data }) => data.commands ?? [])
    expect(commands).toContainEqual({ name: "greet", description: "Greets", hint: "$ARGUMENTS" })
    expect(await live.run("/greet the world", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(textOf(session)).toContain("GREET-MARK the world")
    expect(live.transcript(session)).toEqual(["user: /greet the world", "assistant: hello"])
    expect(live.labels(session)).toEqual(["opencode.command"])
    await live.run("/compact", session)
    expect(live.labels(session)).toContain("opencode.compacted")
    expect(live.items(session).some(({ kind }) => kind === "system")).toBe(true)
    expect(await live.run("/nothing of that name", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })
})

describe("settings that need a server of their own", { timeout: 240_000 }, () => {
  test("system prompt, skills and MCP servers given at create", async () => {
    const { live } = shared
    const probe = mcpProbe(scratch())
    const skills = [{ name: "poem", content: "# Writes POEM-MARK poems\nWrite one." }]
    const script = [reply(toolCall("probe_ping", {})), "done"]
    const session = await live.open(script, { systemPrompt: "ZEBRA-MARK", skills, mcp: { probe } })
    const turn = live.run("go", session)
    const asked = await live.allow(session)
    expect(asked).toMatchObject({ kind: "tool", action: "probe_ping", metadata: { rules: ["*"] } })
    await turn
    expect(live.results(session).map(({ output }) => output)).toEqual(["pong"])
    expect([textOf(session).includes("ZEBRA-MARK"), textOf(session).includes("POEM-MARK")]).toEqual([true, true])
    expect(live.decisions(session)).toHaveLength(1)
    expect(live.wrongs()).toEqual([])
  })

  test("the user's own configuration counts: their agents are modes, what they deny stays denied, what they allow is asked", async () => {
    const { live } = shared
    const theirs = {
      ...scriptedConfig(live.model.url),
      permission: { bash: { "rm *": "deny", "*": "allow" } },
      agent: { reviewer: { mode: "primary", prompt: "REVIEWER-MARK", permission: { bash: "allow" } } },
    }
    const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(theirs) }
    const script = [reply(bash("rm a")), reply(bash("touch b")), "done", reply(bash("touch c")), "reviewed"]
    const session = await live.open(script, { env })
    const turn = live.run("go", session)
    const asked = await live.allow(session)
    expect(asked.detail?.command).toBe("touch b")
    await turn
    expect(live.results(session)[0]).toMatchObject({ is_error: true, output: expect.stringContaining("rm *") })
    expect(await patchSession(session, { agentMode: "reviewer" })).toBe("now")
    const second = live.run("review", session)
    await live.allow(session, 2)
    await second
    expect(textOf(session)).toContain("REVIEWER-MARK")
    expect(live.wrongs()).toEqual([])
  })

  test("an agent of the project alone is a mode of its sessions; a mode nobody has leaves no session behind", async () => {
    const { live } = shared
    const directory = scratch()
    mkdirSync(join(directory, ".opencode/agent"), { recursive: true })
    writeFileSync(join(directory, ".opencode/agent/poet.md"), "---\nmode: primary\n---\nPOET-MARK\n")
    const session = await live.open(["a verse", "more"], { directory, agentMode: "poet" })
    await live.run("go", session)
    expect(textOf(session)).toContain("POET-MARK")
    await patchSession(session, { agentMode: "plan" })
    await closeProcess(session)
    // Nobody is there who could know it: the agent is started.
    await patchSession(session, { agentMode: "poet" })
    await live.run("again", session)
    expect(textOf(session)).toContain("POET-MARK")
    const before = live.core.sessions.list({}).sessions.length
    await expect(live.open([], { agentMode: "poet" })).rejects.toMatchObject({ code: "mode_not_supported" })
    expect(live.core.sessions.list({}).sessions).toHaveLength(before)
    expect(live.wrongs()).toEqual([])
  })
})
