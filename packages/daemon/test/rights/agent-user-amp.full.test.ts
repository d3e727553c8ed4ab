import { chownSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { ampBinary } from "@sandbox-agent/test-agents/amp"
import { expect, onTestFinished, test } from "vitest"
import { findUser } from "../../src/supervisor/users.ts"
import { startDaemon } from "../harness/daemon.ts"
import { openFolder, reachable } from "./reachable.ts"
import { isRoot } from "./users.ts"

const { uid = 0, gid = 0 } = findUser("nobody") ?? {}

test.skipIf(!isRoot)(
  "Amp as another user: its delegate asks, and what it is allowed runs as that user",
  async () => {
    const work = openFolder()
    chownSync(work, uid, gid)
    await using model = await startScriptedModel({ script: [reply(toolCall("Bash", { cmd: "touch made" })), "done"] })
    const flags = ["--agent-user", "nobody", "--agent-path", `amp=${reachable(ampBinary())}`]
    await using daemon = await startDaemon({ cwd: work, flags })
    onTestFinished(() => rmSync(`${daemon.dataDir}-nobody`, { recursive: true, force: true }))
    const { api } = daemon
    const env = { AMP_URL: model.url, AMP_API_KEY: "dummy" }
    const { healthy, session } = await api.create("amp", { agent: "amp", directory: work, env })
    expect([healthy, session.error]).toEqual([true, undefined])
    const { messageId } = await api.send("amp", "go")
    const { data } = await api.until("amp", "permission.requested")
    await api.ok("POST", `/v1/sessions/amp/permissions/${data.permission_id}/reply`, { reply: "once" })
    const ended = await api.until("amp", "turn.ended", (event) => event.data.message_ids.includes(messageId))
    expect(ended.data.stop_reason).toBe("end_turn")
    expect(statSync(join(work, "made")).uid).toBe(uid)
  },
  120_000,
)
