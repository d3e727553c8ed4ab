import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { claudeBinary, newest } from "@sandbox-agent/test-agents/claude"
import { expect, test } from "vitest"
import { claudeTongue } from "../chaos/tongues.ts"
import { wishesIn, wishText } from "../chaos/wishes.ts"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { choose, SdkClient, type Transport } from "./sdk-client.ts"

/** A daemon whose Claude Code is the real one; only the model is scripted. */
async function claudeDaemon() {
  const model = await startScriptedModel({ script: [wishesIn(claudeTongue)] })
  const home = scratch()
  const daemon = await startDaemon({
    flags: ["--agent-path", `claude=${claudeBinary(newest)}`],
    env: {
      HOME: home,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
    },
  })
  const cwd = join(home, "work")
  mkdirSync(cwd)
  return { daemon, model, cwd }
}

test.each<Transport>(["http", "websocket"])(
  "the official client over %s drives the real Claude Code: text, permission, question, cancel, load",
  async (transport) => {
    const { daemon, model, cwd } = await claudeDaemon()
    await using _ = daemon
    const answers = { "session/request_permission": choose("allow_once") }
    await using sdk = new SdkClient(daemon, transport, { query: "?agent=claude", answers })
    const id = await sdk.begin({ cwd })
    expect(await sdk.prompt(id, wishText("say", "a/1"))).toMatchObject({ stopReason: "end_turn" })
    expect(sdk.said(id)).toBe("fine")
    expect(await sdk.prompt(id, wishText("ask", "a/2"))).toMatchObject({ stopReason: "end_turn" })
    expect(sdk.asked).toHaveLength(1)
    expect(existsSync(join(cwd, "made-by-the-agent"))).toBe(true)
    expect(await sdk.prompt(id, wishText("question", "a/3"))).toMatchObject({ stopReason: "end_turn" })
    expect(sdk.asked).toHaveLength(2)
    const resolved = (await daemon.api.events(id)).find(({ type }) => type === "question.resolved")
    expect(resolved?.data).toMatchObject({ status: "answered", answers: [["Red"]] })
    const hanging = sdk.prompt(id, wishText("text", "a/4", 3))
    await sdk.until(() => sdk.said(id).endsWith("word3. "))
    await sdk.tell("session/cancel", { sessionId: id })
    expect(await hanging).toMatchObject({ stopReason: "cancelled" })
    await using second = new SdkClient(daemon, transport, { query: "?agent=claude" })
    await second.initialize()
    await second.ask("session/load", { sessionId: id, cwd, mcpServers: [] })
    expect(second.said(id)).toBe(sdk.said(id))
    expect(await second.prompt(id, wishText("say", "a/5"))).toMatchObject({ stopReason: "end_turn" })
    await model.close()
  },
  180_000,
)
