import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import type { Session } from "../../../src/core/session.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { Client } from "../../../src/drivers/opencode/client.ts"
import { startLive } from "./live.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
/** Asks the server that the sessions are on, beside the driver. */
let client: Client

beforeAll(async () => {
  const { live } = shared
  const spawned = vi.spyOn(live.core.context.supervisor, "spawn")
  await live.open([])
  // The last: on a port that somebody else took meanwhile it is tried again.
  const options = spawned.mock.calls.at(-1)?.[0]
  client = new Client(`http://127.0.0.1:${options?.command.at(-1)}`, options?.env?.OPENCODE_SERVER_PASSWORD ?? "")
}, 120_000)

const bash = (command: string) => toolCall("bash", { command, description: "As told" })
const asked = async ({ record }: Session) => [
  ...(await client.call("GET /permission", { params: { directory: record.directory } })),
  ...(await client.call("GET /question", { params: { directory: record.directory } })),
]

describe("the server", { timeout: 180_000 }, () => {
  const question = { question: "Which?", header: "Which", options: [{ label: "One", description: "One" }] }
  test.each([
    ["permission", reply(bash("touch never"))],
    ["question", reply(toolCall("question", { questions: [question] }))],
  ] as const)("asks no more for a %s of a turn that was aborted", async (what, step) => {
    const { live } = shared
    const session = await live.open([step, "on"])
    const turn = live.run("go", session)
    await live[what](1, session)
    expect(await asked(session)).toHaveLength(1)
    await cancelTurn(session, {})
    expect(await turn).toMatchObject({ stop_reason: "cancelled" })
    expect(await asked(session)).toEqual([])
    expect(await live.run("next", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })

  test("is started on another port when somebody takes the first one meanwhile", async () => {
    await using live = await startLive()
    const { supervisor } = live.core.context
    const spawn = supervisor.spawn.bind(supervisor)
    let taken: { stop(): void } | undefined
    const spawned = vi.spyOn(supervisor, "spawn").mockImplementationOnce((options) => {
      taken = Bun.listen({ hostname: "127.0.0.1", port: Number(options.command.at(-1)), socket: { data() {} } })
      return spawn(options)
    })
    const session = await live.open(["here"])
    taken?.stop()
    expect(spawned).toHaveBeenCalledTimes(2)
    expect(await live.run("go", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })

  test("has a page for every address it does not know, and that is no answer", async () => {
    const unknown = client.call("GET /no/such/thing" as "GET /permission", { params: {} })
    await expect(unknown).rejects.toMatchObject({ code: "not_supported" })
  })

  test("takes a prompt for an agent that is gone, and the turn ends with its error, once", async () => {
    const { live } = shared
    const directory = join(live.directory, "with-agent")
    const agents = join(directory, ".opencode", "agent")
    mkdirSync(agents, { recursive: true })
    writeFileSync(join(agents, "reviewer.md"), "---\nmode: primary\n---\nREVIEW")
    const session = await live.open(["first", "second"], { directory })
    await patchSession(session, { agentMode: "reviewer" })
    expect(await live.run("one", session)).toMatchObject({ stop_reason: "end_turn" })
    rmSync(join(agents, "reviewer.md"))
    await client.call("POST /instance/dispose", { params: { directory } })
    const failed = await live.run("two", session)
    expect(failed).toMatchObject({ stop_reason: "error" })
    expect(failed.error?.message).toContain("reviewer")
    expect(live.of("error", session)).toHaveLength(1)
    await patchSession(session, { agentMode: "build" })
    expect(await live.run("three", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.of("turn.ended", session)).toHaveLength(3)
    expect(live.wrongs()).toEqual([])
  })

  test("completes a call of a tool that is not there, and a command that fails: both are errors", async () => {
    const { live } = shared
    const script = [reply(toolCall("no_such_tool", { a: 1 })), reply(bash("echo no; exit 3")), "done"]
    const session = await live.open(script, { permissionMode: "bypass" })
    expect(await live.run("go", session)).toMatchObject({ stop_reason: "end_turn" })
    const calls = live.transcript(session).filter((line) => line.startsWith("call"))
    expect(calls).toEqual(["call no_such_tool", "call bash"])
    expect(live.results(session)).toMatchObject([{ is_error: true }, { is_error: true, output: "no\n" }])
    expect(live.wrongs()).toEqual([])
  })
})
