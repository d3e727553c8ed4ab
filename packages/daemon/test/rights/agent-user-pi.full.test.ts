import { chmodSync, chownSync, cpSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { piSettings } from "@sandbox-agent/conformance/agents/pi"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { piPackage } from "@sandbox-agent/test-agents/pi"
import { expect, onTestFinished, test } from "vitest"
import { findUser } from "../../src/supervisor/users.ts"
import { startDaemon } from "../harness/daemon.ts"
import { openFolder, reachable } from "./reachable.ts"
import { isRoot } from "./users.ts"

const { uid = 0, gid = 0 } = findUser("nobody") ?? {}

/** The program where another user can run it. */
function openPi(): string {
  const folder = openFolder()
  const { folder: from, script } = piPackage()
  cpSync(from, join(folder, "package"), { recursive: true })
  const path = join(folder, "pi")
  const words = `'${reachable(process.execPath)}' --no-env-file '${join(folder, "package", script)}'`
  writeFileSync(path, `#!/bin/sh\nBUN_BE_BUN=1 exec ${words} "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

test.skipIf(!isRoot)(
  "Pi as another user: our extension asks, what it is allowed runs as that user, and a fork is that user's",
  async () => {
    const work = openFolder()
    chownSync(work, uid, gid)
    const script = [reply(toolCall("bash", { command: "touch made" })), "done", "forked"]
    await using model = await startScriptedModel({ script })
    const home = join(work, "home")
    mkdirSync(home)
    const env = piSettings(home, model.url)
    for (const path of ["", "agent", "agent/models.json", "agent/settings.json"]) chownSync(join(home, path), uid, gid)
    await using daemon = await startDaemon({
      cwd: work,
      flags: ["--agent-user", "nobody", "--agent-path", `pi=${openPi()}`],
    })
    onTestFinished(() => rmSync(`${daemon.dataDir}-nobody`, { recursive: true, force: true }))
    const { api } = daemon
    const { healthy, session } = await api.create("pi", { agent: "pi", directory: work, env })
    expect([healthy, session.error]).toEqual([true, undefined])
    const { messageId } = await api.send("pi", "go")
    const { data } = await api.until("pi", "permission.requested")
    await api.ok("POST", `/v1/sessions/pi/permissions/${data.permission_id}/reply`, { reply: "once" })
    const ended = await api.until("pi", "turn.ended", (event) => event.data.message_ids.includes(messageId))
    expect(ended.data.stop_reason).toBe("end_turn")
    expect(statSync(join(work, "made")).uid).toBe(uid)
    expect(await api.ok("POST", "/v1/sessions/pi/fork", { id: "fork" })).toMatchObject({ healthy: true })
    await api.turn("fork", "and on")
    const files = [...new Bun.Glob("**/*.jsonl").scanSync({ cwd: join(home, "agent"), absolute: true })]
    expect(files.map((file) => statSync(file).uid)).toEqual([uid, uid])
  },
  180_000,
)
