import { reply, text, thinking, toolCall, words } from "@sandbox-agent/scripted-model/script"
import type { ScriptItem } from "@sandbox-agent/scripted-model/step"
import { describe, expect, test } from "vitest"
import { replyPermission } from "../../../src/core/replies.ts"
import { startLive as startNative } from "../claude/live.ts"
import type { DriverStage } from "../stage.ts"
import { startLive as startAcp } from "./live.ts"
import { expectDocumented, expectNeeded, expectSame, type Transcripts, transcriptOf } from "./same-transcript.ts"
import { claudeDifferences } from "./same-transcript-claude.ts"

type Stage = DriverStage & { model: { script(items: ScriptItem[]): void } }

const bash = (command: string) => toolCall("Bash", { command, description: "Runs it" })

interface Scene {
  mode?: "bypass" | "default"
  script(workspace: string): ScriptItem[]
  act?(stage: DriverStage): Promise<void>
}

const scenes: Record<string, Scene> = {
  "thinks, speaks, runs commands, writes a file": {
    script: (workspace) => [
      reply(thinking("Let me see"), text(words("I shall look first")), bash("echo hi")),
      reply(toolCall("Write", { file_path: `${workspace}/made.txt`, content: "made\n" })),
      reply(bash("echo broken; exit 3")),
      "All is done.",
    ],
  },
  "asks for permission": {
    mode: "default",
    script: () => [reply(bash("touch a")), reply(bash("touch b")), "All is done."],
    async act(stage) {
      await replyPermission(stage.session, (await stage.permission(1)).permission_id, "once")
      await replyPermission(stage.session, (await stage.permission(2)).permission_id, "reject", "not that")
    },
  },
}

async function play(stage: Stage, { script, act }: Scene) {
  stage.model.script(script(stage.workspace))
  const turn = stage.run("go")
  await act?.(stage)
  expect(await turn).toMatchObject({ stop_reason: "end_turn" })
  return transcriptOf(stage)
}

describe("Claude Code natively and behind its adapter", { timeout: 180_000 }, () => {
  const transcripts: Transcripts[] = []
  test.each(Object.entries(scenes))("%s", async (_, scene) => {
    const create = { permissionMode: scene.mode ?? "bypass" }
    await using native = await startNative([], { create })
    await using adapted = await startAcp("claude-agent-acp", [], { create })
    const both = { native: await play(native, scene), adapted: await play(adapted, scene) }
    transcripts.push(both)
    expectSame(both, claudeDifferences)
    expect([...native.wrongs(), ...adapted.wrongs()]).toEqual([])
  })

  test("every difference is there, and the page tells it", () => {
    expectNeeded(transcripts, claudeDifferences)
    expectDocumented("Claude Code natively and behind its adapter", claudeDifferences)
  })
})
