import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { configFor, startLive } from "./live.ts"

const run = (cmd: string) => toolCall("exec_command", { cmd })

/** The last that trusts a directory for good when a thread is started in it with a sandbox, and the one that is tested. */
test.each(["0.155.1", "0.166.0"])(
  "%s works, and writes nothing into the user's configuration",
  async (version) => {
    await using live = await startLive([], version)
    const script = [reply(run("echo seen > seen")), "done", reply(run("echo again > again")), "reviewed"]
    const session = await live.open(script, { permissionMode: "bypass" })
    const file = (name: string) => join(session.record.directory, name)
    expect(await live.run("go", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(existsSync(file("seen"))).toBe(true)
    expect(await live.run("/review", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(existsSync(file("again"))).toBe(true)
    expect(readFileSync(join(live.home, "config.toml"), "utf8")).toBe(configFor(live.model.url))
  },
  180_000,
)

test("a review that comes before any turn runs under the session's permission mode", async () => {
  await using live = await startLive()
  const session = await live.open([reply(run("echo seen > seen")), "reviewed"], { permissionMode: "bypass" })
  expect(await live.run("/review", session)).toMatchObject({ stop_reason: "end_turn" })
  expect(existsSync(join(session.record.directory, "seen"))).toBe(true)
}, 180_000)
