import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import type { Session } from "@sandbox-agent/schema/session"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { opencodeBinary } from "@sandbox-agent/test-agents/opencode"
import { expect, test } from "vitest"
import { scriptedClaude } from "../../../conformance/src/agents/claude.ts"
import { scriptedCodex } from "../../../conformance/src/agents/codex.ts"
import { scriptedOpencode } from "../../../conformance/src/agents/opencode.ts"
import { ofType, textOf } from "../api/transcript.ts"
import type { Api } from "../harness/api.ts"
import { scratch, startDaemon } from "../harness/daemon.ts"

interface Forked {
  healthy: boolean
  session: Session
}

const rebuilt = async (api: Api, id: string) =>
  ofType(await api.events(id), "session.updated").flatMap(({ data }) => (data.context === "rebuilt" ? [data] : []))

test("a conversation goes from Claude Code to Codex to OpenCode, and each knows what was said before", {
  timeout: 600_000,
}, async () => {
  const dataDir = scratch()
  const [home, bin, directory] = ["home", "bin", "work"].map((name) => join(dataDir, name)) as [string, string, string]
  for (const folder of [home, bin, directory]) mkdirSync(folder)
  for (const [name, program] of Object.entries({
    claude: claudeBinary(),
    codex: codexBinary(),
    opencode: opencodeBinary(),
  }))
    symlinkSync(program, join(bin, name))
  const claude = await scriptedClaude(home)
  const codex = await scriptedCodex(home)
  const opencode = await scriptedOpencode(home)
  await using models = new AsyncDisposableStack()
  for (const { close } of [claude, codex, opencode]) models.defer(close)
  const env = { ...claude.env, ...codex.env, ...opencode.env, PATH: `${bin}:${process.env.PATH}` }
  const first = await startDaemon({ dataDir, env })
  const say = async (api: Api, id: string, { subject }: typeof claude, words: string) =>
    expect(textOf(await api.turn(id, await subject.acts.say(words)))).toBe(words)
  const recalls = async (api: Api, id: string, { subject }: typeof claude, words: string) =>
    expect(textOf(await api.turn(id, (await subject.acts.recall?.(words)) ?? ""))).toBe(words)

  await first.api.create("one", { agent: "claude", directory, title: "Fruit", permissionMode: "bypass" })
  await say(first.api, "one", claude, "papaya")
  const fork = { id: "two", agent: "codex", model: "gpt-5.5", variant: "low" }
  const two = await first.api.ok<Forked>("POST", "/v1/sessions/one/fork", fork)
  expect(two).toMatchObject({
    healthy: true,
    session: { agent: "codex", directory, title: "Fruit", permissionMode: "bypass", model: "gpt-5.5", variant: "low" },
  })
  expect(await rebuilt(first.api, "two")).toEqual([
    {
      native_session_id: two.session.nativeSessionId,
      context: "rebuilt",
      reason: "forked from session one of agent claude",
    },
  ])
  await recalls(first.api, "two", codex, "papaya")
  await say(first.api, "two", codex, "mango")
  const three = await first.api.ok<Forked>("POST", "/v1/sessions/two/fork", { id: "three", agent: "opencode" })
  expect(three).toMatchObject({ healthy: true, session: { agent: "opencode" } })
  expect(three.session.model).toBeUndefined()

  // Between the fork and its first message everything may die: what it is to be told is not lost.
  first.kill("SIGKILL")
  await first.exited
  await using second = await startDaemon({ dataDir, env })
  await recalls(second.api, "three", opencode, "papaya")
  await recalls(second.api, "three", opencode, "mango")
  expect(await rebuilt(second.api, "three")).toHaveLength(1)
  // Nobody said what the agents were told.
  for (const id of ["two", "three"])
    for (const { role, content } of (await second.api.items(id)).items)
      if (role === "user") expect(JSON.stringify(content)).not.toContain("session-brief")
})
