import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { mcpProbe } from "@sandbox-agent/conformance/mcp-probe"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import type { JsonObject } from "@sandbox-agent/scripted-model/json"
import { lastUserText, type ModelRequest, toolResults } from "@sandbox-agent/scripted-model/request"
import { hang, reply, text, toolCall } from "@sandbox-agent/scripted-model/script"
import { always } from "@sandbox-agent/scripted-model/step"
import { expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { replyPermission } from "../../../src/core/replies.ts"
import type { Session } from "../../../src/core/session.ts"
import { patchSession } from "../../../src/core/settings.ts"
import type { ListingSupervisor } from "../../../src/supervisor/supervisor.ts"
import { Live } from "./live.ts"
import { agentOf, entryOf, programOf } from "./program.ts"

/** How each has a command run. */
const shells: Record<string, (command: string) => [name: string, input: JsonObject]> = {
  "claude-agent-acp": (command) => ["Bash", { command, description: "runs it" }],
  "codex-acp": (cmd) => [
    "exec_command",
    { cmd, sandbox_permissions: "require_escalated", justification: "It writes", yield_time_ms: 30_000 },
  ],
  "qwen-code": (command) => ["run_shell_command", { command, description: "runs it", is_background: false }],
}

/** A model that does what the last message says: `say X`, `run X`, `wait X`, and `play X` with a server's tool. */
function obey(agent: string) {
  return (request: ModelRequest) => {
    const [, verb, word = ""] = /\b(say|run|wait|play) (\w+)/.exec(lastUserText(request)) ?? []
    if (verb === "wait") return reply(text(`begun ${word}`), hang())
    const ran = toolResults(request).length > 0
    if (verb === "play" && !ran) return reply(toolCall("mcp__zither__ping", {}))
    if (verb !== "run") return reply(word)
    return ran ? reply(`ran ${word}`) : reply(toolCall(...(shells[agent]?.(`pwd > ${word}.txt`) ?? ["none", {}])))
  }
}

class Together extends Live {
  in(folder: string, body: Parameters<Live["create"]>[1] = {}): Promise<Session> {
    const directory = join(this.workspace, folder)
    mkdirSync(directory)
    return this.create(folder, { directory, ...body })
  }

  get processes() {
    return (this.core.context.supervisor as ListingSupervisor)
      .list()
      .filter(({ label, owner }) => label === this.agent.id && !owner.startsWith("catalog"))
  }
}

async function start(id: string): Promise<Together> {
  const entry = entryOf(id)
  const agent = { ...agentOf(entry), traits: { ...agentOf(entry).traits, sessions: "many" as const } }
  const model = await startScriptedModel({ script: [always(obey(id))] })
  return new Together(agent, model, await programOf(entry))
}

test.each(Object.keys(shells))(
  "%s holds several sessions in one process, each for itself",
  async (id) => {
    await using live = await start(id)
    const mcp = { zither: mcpProbe(live.directory) }
    const [amber, blue, coral] = await Promise.all([live.in("amber"), live.in("blue", { mcp }), live.in("coral")])
    expect(live.processes).toHaveLength(1)

    // Transcripts are separate.
    await Promise.all([live.run("say first", amber), live.run("say second", blue), live.run("say third", coral)])
    const said = (s: Session) => live.transcript(s).filter((line) => line.startsWith("assistant:"))
    expect([amber, blue, coral].map(said)).toEqual([["assistant: first"], ["assistant: second"], ["assistant: third"]])

    // Each asks in its own log, and works in its own folder.
    const runs = [amber, blue].map((s) => live.run(`run ${s.record.id}`, s))
    for (const s of [amber, blue]) {
      const { permission_id, detail } = await live.permission(1, s)
      expect(JSON.stringify(detail)).toContain(`${s.record.id}.txt`)
      await replyPermission(s, permission_id, "once")
    }
    await Promise.all(runs)
    expect(live.of("permission.requested", coral)).toEqual([])
    for (const s of [amber, blue]) {
      const { id: name, directory } = s.record
      expect(readFileSync(join(directory, `${name}.txt`), "utf8").trim()).toBe(directory)
    }

    // The end of one turn, of one session, is not that of another.
    const waiting = live.run("wait long", amber)
    const other = live.run("wait longer", blue)
    for (const s of [amber, blue]) await live.until("item.delta", ({ data }) => /begun/.test(data.delta), s)
    await cancelTurn(amber, {})
    expect(await waiting).toMatchObject({ stop_reason: "cancelled" })
    expect((await waiting).forced).toBeUndefined()
    expect([amber.status, blue.status]).toEqual(["idle", "running"])
    await live.core.sessions.delete(coral)
    expect(await live.run("say again", amber)).toMatchObject({ stop_reason: "end_turn" })
    expect([said(amber).at(-1), blue.status]).toEqual(["assistant: again", "running"])
    await cancelTurn(blue, {})
    expect(await other).toMatchObject({ stop_reason: "cancelled" })
    expect(live.processes).toHaveLength(1)

    // A server given to one is none of the others'.
    const knows = (word: string) =>
      live.model.requests.some(({ body }) => {
        const reported = JSON.stringify(body)
        return reported.includes(`say ${word}`) && reported.includes("zither")
      })
    // Qwen Code has its model look for the tools of servers: they have to be called.
    if (id !== "qwen-code")
      return expect([knows("first"), knows("second"), knows("third")]).toEqual([false, true, false])
    const results = async (s: Session) => {
      await patchSession(s, { permissionMode: "bypass" })
      await live.run("play it", s)
      return live
        .transcript(s)
        .filter((line) => line.startsWith("result"))
        .at(-1)
    }
    expect(await results(blue)).toContain("pong")
    expect(await results(amber)).not.toContain("pong")
  },
  300_000,
)
