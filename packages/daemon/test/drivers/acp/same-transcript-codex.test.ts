import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { cut, error, reply, text, thinking, toolCall, usage, words } from "@sandbox-agent/scripted-model/script"
import type { ScriptItem } from "@sandbox-agent/scripted-model/step"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { replyPermission, replyQuestion } from "../../../src/core/replies.ts"
import type { Session } from "../../../src/core/session.ts"
import { configFor, type Live as NativeLive, startLive as startNative } from "../codex/live.ts"
import { labServer } from "../codex/mcp-server.ts"
import type { DriverStage } from "../stage.ts"
import { Live } from "./live.ts"
import { agentOf, entryOf, programOf } from "./program.ts"
import { expectDocumented, expectNeeded, expectSame, type Transcripts, transcriptOf } from "./same-transcript.ts"
import { codexDifferences, usedByTheNext } from "./same-transcript-codex.ts"

const run = (cmd: string, more: object = {}) => toolCall("exec_command", { cmd, yield_time_ms: 30_000, ...more })
/** Behind the adapter it is the model that asks to leave the sandbox. */
const escalated = (cmd: string) => run(cmd, { sandbox_permissions: "require_escalated", justification: "It writes" })
const patch = (...lines: string[]) => toolCall("apply_patch", ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"))
const lab = (name: string) => toolCall(name, {}, { namespace: "mcp__lab" })
const plan = (...states: string[]) =>
  toolCall("update_plan", { plan: states.map((status, i) => ({ step: `Step ${i}`, status })) })
const colour = {
  id: "colour",
  header: "Colour",
  question: "Which colour?",
  options: ["Red", "Blue"].map((label) => ({ label, description: label })),
}
const goOn = "until [ -e goOn ]; do sleep 0.1; done; echo begun; sleep 3000"

interface Scene {
  script: readonly ScriptItem[]
  mode?: "bypass" | "default"
  act(stage: DriverStage, session: Session): Promise<void>
}

const goes: Scene["act"] = async (stage, session) => {
  expect(await stage.run("go", session)).toMatchObject({ stop_reason: "end_turn" })
}

const scenes: Record<string, Scene> = {
  "thinks, speaks, runs commands": {
    script: [
      reply(
        thinking(words("Let me see")),
        text(words("I shall look first")),
        run("echo hi"),
        usage({ input: 50, cached: 10, reasoning: 3 }),
      ),
      reply(run("echo broken; exit 3")),
      reply(toolCall("no_such_tool", { a: 1 })),
      "All is done.",
    ],
    act: goes,
  },
  "changes files": {
    script: [
      reply(patch("*** Add File: made.txt", "+made")),
      reply(patch("*** Update File: made.txt", "@@", "-made", "+changed")),
      "All is done.",
    ],
    act: goes,
  },
  "has a plan": {
    script: [reply(plan("in_progress", "pending")), reply(plan("completed", "completed")), "All is done."],
    act: goes,
  },
  "calls tools of an MCP server": { script: [reply(lab("look")), reply(lab("act")), "All is done."], act: goes },
  "asks for permission": {
    mode: "default",
    script: [
      reply(escalated("touch a")),
      reply(lab("act")),
      reply(patch("*** Add File: x.txt", "+x")),
      reply(escalated("touch b")),
      "All is done.",
    ],
    async act(stage, session) {
      const turn = goes(stage, session)
      for (const n of [1, 2, 3])
        await replyPermission(session, (await stage.permission(n, session)).permission_id, "once")
      await replyPermission(session, (await stage.permission(4, session)).permission_id, "reject", "not that")
      await turn
      // The adapter names a session after a prompt; what it is told of a refusal is none of the user's.
      expect(session.record.title ?? "").not.toContain("did not allow")
    },
  },
  "asks a question": {
    script: [reply(toolCall("request_user_input", { questions: [colour] })), "All is done."],
    async act(stage, session) {
      const turn = goes(stage, session)
      await replyQuestion(session, (await stage.question(1, session)).question_id, [["Blue"]])
      await turn
    },
  },
  "is interrupted": {
    script: [
      reply(text(["a word ", ...Array.from({ length: 3_000 }, () => "")], { delayMs: 100 })),
      reply(run(goOn)),
      "All is done.",
    ],
    async act(stage, session) {
      await stage.post("speak", {}, session)
      await stage.until("item.delta", ({ data }) => data.part.type === "text", session)
      await cancelTurn(session, {})
      await stage.post("run", {}, session)
      await stage.until("item.completed", ({ data }) => data.item.kind === "tool_call", session)
      // What is printed before the call is told Codex keeps until its end.
      writeFileSync(join(session.record.directory, "goOn"), "")
      await stage.until("item.delta", ({ data }) => data.part.type === "output", session)
      await cancelTurn(session, {})
      await goes(stage, session)
    },
  },
  fails: {
    script: [error(400, "no such thing"), "All is done."],
    async act(stage, session) {
      expect(await stage.run("try", session)).toMatchObject({ stop_reason: "error" })
      await goes(stage, session)
    },
  },
  "asks the model again": {
    script: [reply(text("half of", { open: true }), cut()), "All is done."],
    act: goes,
  },
}

let native: NativeLive
let adapted: Live
const transcripts: Transcripts[] = []

beforeAll(async () => {
  native = await startNative()
  const entry = entryOf("codex-acp")
  adapted = new Live(agentOf(entry), await startScriptedModel(), await programOf(entry))
  writeFileSync(join(adapted.home, ".codex", "config.toml"), configFor(adapted.model.url))
}, 600_000)
afterAll(async () => {
  await native[Symbol.asyncDispose]()
  await adapted[Symbol.asyncDispose]()
}, 120_000)

/** The same scene with the same model on both. */
async function play(name: string, { script, mode = "bypass", act }: Scene): Promise<Transcripts> {
  const transcripts = join(adapted.directory, `${name}-told`)
  const body = (file?: string) => ({ permissionMode: mode, mcp: { lab: labServer(native.directory, file) } })
  const here = await native.open(script, body())
  const directory = join(adapted.directory, name)
  mkdirSync(directory)
  const there = await adapted.create(name, { directory, ...body(transcripts) })
  adapted.model.script(there.record.native.id ?? "", script)
  await act(native, here)
  // Behind the adapter nobody waits for servers: a turn that comes before them goes without their tools.
  await expect.poll(() => existsSync(transcripts)).toBe(true)
  await act(adapted, there)
  return { native: usedByTheNext(transcriptOf(native, here)), adapted: usedByTheNext(transcriptOf(adapted, there)) }
}

describe("Codex natively and behind its adapter", { timeout: 180_000 }, () => {
  test.each(Object.entries(scenes))("%s", async (name, scene) => {
    const both = await play(name.replaceAll(/\W+/g, "-"), scene)
    transcripts.push(both)
    expectSame(both, codexDifferences)
  })

  test("tokens that are told with an interrupted turn or with the next one are the same", () => {
    const ended = (stop_reason: string, used: object) => ({ what: "ended" as const, parts: [], stop_reason, used })
    const some = { input_tokens: 100, output_tokens: 20 }
    const twice = { input_tokens: 200, output_tokens: 40 }
    const told = [
      [ended("cancelled", some), ended("cancelled", {}), ended("end_turn", some), ended("cancelled", some)],
      [ended("cancelled", {}), ended("cancelled", some), ended("end_turn", some), ended("cancelled", some)],
      [ended("cancelled", {}), ended("cancelled", {}), ended("end_turn", twice), ended("cancelled", some)],
    ].map(usedByTheNext)
    expect(told[0]?.map(({ used }) => used)).toEqual([{}, {}, twice, some])
    expect([told[1], told[2]]).toEqual([told[0], told[0]])
  })

  test("every difference is there, and the page tells it", () => {
    expectNeeded(transcripts, codexDifferences)
    expectDocumented("Codex natively and behind its adapter", codexDifferences)
    expect([...native.wrongs(), ...adapted.wrongs()]).toEqual([])
  })
})
