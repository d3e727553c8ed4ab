import { mcpProbe } from "@sandbox-agent/conformance/mcp-probe"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { newest, oldest, versions } from "@sandbox-agent/test-agents/claude"
import { describe, expect, test } from "vitest"
import { hostFor } from "../../../src/core/opening.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { scratch } from "../../harness/daemon.ts"
import { type Live, startLive } from "./live.ts"

interface Sent {
  model: string
  output_config?: { effort?: string }
}
const sent = (live: Live): Sent => live.model.requests.at(-1)?.body as unknown as Sent
const asText = (live: Live): string => JSON.stringify(sent(live))

describe.each(versions)("claude %s", (version) => {
  test("model and variant are switched at once, and unknown ones refused", async () => {
    await using live = await startLive(["one", "two", "three", "four"], { version, create: { variant: "low" } })
    await live.run("first")
    expect(sent(live).output_config?.effort).toBe("low")
    const [{ model }] = [sent(live)]
    expect(await patchSession(live.session, { variant: "high" })).toBe("now")
    await live.run("second")
    expect(sent(live).output_config?.effort).toBe("high")
    expect(await patchSession(live.session, { model: "sonnet" })).toBe("now")
    await live.run("third")
    expect(sent(live).model).not.toBe(model)
    expect(sent(live).model).toContain("sonnet")
    expect(live.session.record.model).toBe("sonnet")
    if (version === newest) expect(sent(live).output_config?.effort).not.toBe("high")
    await expect(patchSession(live.session, { variant: "enormous" })).rejects.toMatchObject({ code: "invalid_request" })
    if (version === oldest) return // its /model is for terminals only
    await live.run("/model opus")
    await live.run("fourth")
    expect(live.session.record.model).toMatch(/opus/)
    expect(live.wrongs()).toEqual([])
  })

  test("agent mode plan is asked for with each message and restricts nothing", async () => {
    await using live = await startLive(["one", reply(toolCall("Bash", { command: "touch a" })), "two"], {
      version,
      create: { agentMode: "plan" },
    })
    await live.run("first")
    expect(asText(live).includes("The user wants a plan, not changes")).toBe(true)
    expect(await patchSession(live.session, { agentMode: "build" })).toBe("now")
    const turn = live.run("second")
    await live.reply((await live.permission()).permission_id, "once")
    await turn
    expect(asText(live).match(/The user wants a plan/g)?.length).toBe(1)
    await expect(patchSession(live.session, { agentMode: "nope" })).rejects.toMatchObject({
      code: "mode_not_supported",
    })
    expect(live.transcript()[0]).toBe("user: first")
    expect(live.wrongs()).toEqual([])
  })

  test("system prompt, skills and MCP servers given at create", async () => {
    const probe = mcpProbe(scratch())
    const skills = [{ name: "poem", content: "# Writes poems\nWrite a POEM-MARK poem." }]
    await using live = await startLive(
      [reply(toolCall("mcp__probe__ping", {})), reply(toolCall("Skill", { skill: "poem" })), "done"],
      { version, create: { systemPrompt: "ZEBRA-MARK", skills, mcp: { probe } } },
    )
    const turn = live.run("go")
    const asked = await live.permission()
    expect(asked).toMatchObject({ kind: "tool", action: "mcp__probe__ping", detail: { input: {} } })
    await live.reply(asked.permission_id, "always")
    await turn
    expect(live.transcript()).toContain("result pong")
    expect([asText(live).includes("ZEBRA-MARK"), asText(live).includes("POEM-MARK")]).toEqual([true, true])
    const commands = live.of("session.updated").flatMap(({ data }) => data.commands ?? [])
    expect(commands.map(({ name }) => name)).toContainEqual(expect.stringMatching(/poem$/))
    expect(live.wrongs()).toEqual([])
  })

  test("commands: their output is shown, /compact is told, /clear begins another native session", async () => {
    await using live = await startLive(["one", "two"], { version })
    await live.run("GIRAFFE")
    const before = live.session.record.native.id
    await live.run("/cost")
    expect(live.transcript().at(-1)).toContain("Total cost")
    expect(await live.run("/compact")).toMatchObject({ stop_reason: "end_turn" })
    expect(live.labels()).toContain(version === oldest ? "claude.compacting" : "claude.compacted")
    await live.run("/clear")
    expect(live.session.record.native.id).not.toBe(before)
    await live.run("after")
    expect(asText(live).includes("GIRAFFE")).toBe(false)
    expect(live.session.record.native.durable).toBe(true)
    expect(live.wrongs()).toEqual([])
  })
})

test("the catalog needs no session and is asked for once", async () => {
  await using live = await startLive([])
  const { driver } = live.session
  const host = hostFor(live.core.context, "claude")
  const [catalog, again] = await Promise.all([driver?.catalog(host), driver?.catalog(host)])
  expect(catalog?.modes.map(({ id }) => id)).toEqual(["build", "plan"])
  expect(catalog?.defaultModel).toBe("default")
  expect(catalog?.models.find(({ id }) => id === "opus")?.variants).toContain("high")
  expect(again).toBe(catalog)
})
