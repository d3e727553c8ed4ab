import { existsSync } from "node:fs"
import { join } from "node:path"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { replyPermission } from "../../../src/core/replies.ts"
import type { Session } from "../../../src/core/session.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { type Live, startLive } from "./live.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const options = { timeout: 180_000 }
const run = (cmd: string, more: object = {}) => reply(toolCall("exec_command", { cmd, yield_time_ms: 500, ...more }))
const type = (id: number, chars: string) =>
  reply(toolCall("write_stdin", { session_id: id, chars, yield_time_ms: 500 }))
const there = (session: Session, name: string) => existsSync(join(session.record.directory, name))

/** The program that goes on in the background, as the model knows it. */
const idIn = (live: Live, session: Session): number =>
  Number(/session ID (\d+)/.exec(JSON.stringify(live.requests(session).at(-1)?.body.input))?.[1])

test.each(["0.155.1", "0.166.0"])(
  "%s: no program that was allowed once takes more commands",
  async (version) => {
    await using live = await startLive([], version)
    const session = await live.open([run("bash", { tty: true }), run("cat; sleep 600"), "done"])
    const turn = live.run("go", session)
    // One with a terminal is refused before anybody is asked, with words that the model understands.
    const asked = await live.permission(1, session)
    expect(asked.detail?.command).toBe("cat; sleep 600")
    await replyPermission(session, asked.permission_id, "once")
    await turn
    expect(live.transcript(session)[2]).toMatch(/^result .*omit `tty`/)
    live.script(session, [type(idIn(live, session), "touch a\n"), "done"])
    await live.run("type", session)
    expect(live.transcript(session).join("\n")).toContain("result write_stdin failed")
    expect([there(session, "a"), live.of("permission.requested", session).length]).toEqual([false, 1])
    expect(live.wrongs()).toEqual([])
  },
  180_000,
)

test("a shell that was opened in bypass takes nothing in another mode", options, async () => {
  const { live } = shared
  const free = { permissionMode: "bypass" } as const
  const session = await live.open([run("bash", { tty: true }), run("sleep 600"), "done"], free)
  await live.run("go", session)
  const shell = Number(/session ID (\d+)/.exec(live.transcript(session).join("\n"))?.[1] ?? idIn(live, session))
  live.script(session, [type(shell, "touch a\n"), "done"])
  await live.run("type", session)
  expect(there(session, "a")).toBe(true)
  expect(await patchSession(session, { permissionMode: "default" })).toBe("reopen")
  live.script(session, [type(shell, "touch b\n"), "done"])
  await live.run("type", session)
  expect([there(session, "b"), live.of("permission.requested", session)]).toEqual([false, []])
  // What takes no input goes on.
  expect(session.record.background).toBe(1)
  expect(live.wrongs()).toEqual([])
})

test("a session that left bypass has no terminals from then on", options, async () => {
  const { live } = shared
  const session = await live.open(["one"], { permissionMode: "bypass" })
  await live.run("go", session)
  expect(await patchSession(session, { permissionMode: "default" })).toBe("reopen")
  live.script(session, [run("bash", { tty: true }), "done"])
  await live.run("more", session)
  expect(live.transcript(session).slice(2)).toEqual([
    ...["user: more", "call exec_command", expect.stringMatching(/^result .*omit `tty`/), "assistant: done"],
  ])
  expect(live.wrongs()).toEqual([])
})
