import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { expect, onTestFinished, test } from "vitest"
import { abilitiesOf } from "../../src/drivers/acp/initialize.ts"
import { promptOf } from "../../src/drivers/acp/prompt.ts"
import { sessionFile } from "../../src/drivers/claude/home.ts"
import { userMessage } from "../../src/drivers/claude/message.ts"
import { promptParts } from "../../src/drivers/opencode/message.ts"
import { Confinement } from "../../src/files/confinement.ts"
import { findUser } from "../../src/supervisor/users.ts"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { reachable } from "./reachable.ts"
import { isRoot } from "./users.ts"

const { uid = 0, gid = 0 } = findUser("nobody") ?? {}

/** Puts a link in the place of a file, as its user could. */
function swap(file: string, to: string): void {
  rmSync(file, { force: true })
  symlinkSync(to, file)
}

/** A file that only the daemon's own user can read. */
function secretFile(text: string): string {
  const file = join(scratch(), "secret.jsonl")
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

test.skipIf(!isRoot)(
  "links in the place of what an agent wrote give it nothing that its user cannot read",
  async () => {
    const work = scratch()
    chmodSync(work, 0o755)
    chownSync(work, uid, gid)
    await using model = await startScriptedModel()
    const flags = ["--agent-user", "nobody", "--agent-path", `claude=${reachable(claudeBinary())}`]
    await using daemon = await startDaemon({ cwd: work, flags })
    const agents = `${daemon.dataDir}-nobody`
    onTestFinished(() => rmSync(agents, { recursive: true, force: true }))
    const { api } = daemon
    const env = {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
    }
    const { session } = await api.create("one", { agent: "claude", directory: work, permissionMode: "bypass", env })
    model.script(["said"])
    await api.turn("one", "say")
    await api.terminate("one")
    const home = join(agents, "home", ".claude")
    const native = session.nativeSessionId ?? ""
    const file = (await sessionFile(home, native)) ?? ""
    expect(readFileSync(file, "utf8")).toContain("said")

    const line = { type: "user", sessionId: native, message: { content: "SECRET-MARK" } }
    swap(file, secretFile(`${JSON.stringify(line)}\n`))
    expect((await api.fork("one", "fork")).healthy).toBe(true)
    const copies = readdirSync(dirname(file)).filter((name) => name.endsWith(".jsonl") && name !== basename(file))
    for (const copy of copies) expect(readFileSync(join(dirname(file), copy), "utf8")).not.toContain("SECRET-MARK")
    // It was told of the session anew, as of any whose memory cannot be read.
    expect(JSON.stringify(await api.events("fork"))).toContain("cannot be read by user nobody")

    const other = crypto.randomUUID()
    symlinkSync(secretFile(`${JSON.stringify(line)}\n`), join(dirname(file), `${other}.jsonl`))
    const adopted = { agent: "claude", directory: work, nativeSessionId: other, env }
    expect(await api.call("POST", "/v1/sessions/adopted", adopted)).toMatchObject({ status: 403 })

    const sound = join(work, "skill")
    mkdirSync(sound)
    writeFileSync(join(sound, "SKILL.md"), "---\nname: s\ndescription: d\n---\nDo it.", { mode: 0o644 })
    symlinkSync(secretFile("SECRET-MARK"), join(sound, "link"))
    const skilled = { agent: "claude", directory: work, skills: [{ name: "s", path: sound }], env }
    expect(await api.call("POST", "/v1/sessions/skilled", skilled)).toMatchObject({ status: 403 })
  },
)

test("an attachment that its user cannot read any more is not sent along, on any agent", async () => {
  const path = join(scratch(), "picture.png")
  writeFileSync(path, "SECRET-MARK", { mode: 0o600 })
  const encoded = Buffer.from("SECRET-MARK").toString("base64")
  const message = { id: "m", text: "look", attachments: [{ path, mime: "image/png" }] }
  const abilities = abilitiesOf({ agentCapabilities: { promptCapabilities: { image: true } } })
  const sentWith = async (reach: Confinement) => [
    JSON.stringify(await userMessage("u", message, false, reach)),
    JSON.stringify(await promptParts(message, reach)),
    JSON.stringify(await promptOf(message, abilities, reach)),
  ]
  const stranger = { name: "stranger", uid: 4_000_000, gid: 4_000_000, groups: [4_000_000] }
  for (const sent of await sentWith(new Confinement([], [], [], stranger))) {
    expect(sent).not.toContain(encoded)
    expect(sent).toContain("picture.png")
  }
  for (const sent of await sentWith(new Confinement())) expect(sent).toContain(encoded)
})
