import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import type { Sink } from "../../../src/core/driver-sink.ts"
import { commandText } from "../../../src/drivers/codex/commands.ts"
import type { Conversation } from "../../../src/drivers/codex/conversation.ts"
import { diffOf } from "../../../src/drivers/codex/files.ts"
import { inputOf } from "../../../src/drivers/codex/input.ts"
import { launchFlags, poolKey } from "../../../src/drivers/codex/launch.ts"
import { choiceOf } from "../../../src/drivers/codex/models.ts"
import type { Turn } from "../../../src/drivers/codex/native.ts"
import { errorOf } from "../../../src/drivers/codex/outcome.ts"
import { commandPermission, filePermission } from "../../../src/drivers/codex/permission.ts"
import { policyOf } from "../../../src/drivers/codex/policy.ts"
import { readsOnly } from "../../../src/drivers/codex/read-only.ts"
import { Refused } from "../../../src/drivers/codex/refused.ts"
import { resumeThread } from "../../../src/drivers/codex/resume.ts"
import { Rollout } from "../../../src/drivers/codex/rollout.ts"
import type { Server } from "../../../src/drivers/codex/server.ts"
import { serverHomeOf } from "../../../src/drivers/codex/server-home.ts"
import { Servers } from "../../../src/drivers/codex/servers.ts"
import { slashOf } from "../../../src/drivers/codex/slash.ts"
import { Thread } from "../../../src/drivers/codex/thread.ts"
import { endAfterCommands } from "../../../src/drivers/codex/turn-end.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { scratch } from "../../harness/daemon.ts"

describe("commands", () => {
  test.each([
    ["/bin/bash -lc 'echo hi'", "echo hi"],
    ['/bin/zsh -lc "echo \\$HOME"', "echo $HOME"],
    ["bash -c 'it'\\''s'", "it's"],
    ["ls -la", "ls -la"],
  ])("%s is %s", (command, plain) => {
    expect(commandText({ command })).toBe(plain)
  })

  test.each(["cat a.txt", "ls -la src && pwd", "grep -n word file | head -5"])("%s only reads", (command) => {
    expect(readsOnly(command)).toBe(true)
  })

  test.each([
    ...["rm a", "cat a > b", "cat a | sh", "find . -delete", "ls; rm a", "cat $(rm a)", "cat `rm a`", "ls & rm a"],
    ...["ls\nrm a", "FOO=1 ls", "ls && touch x", "cat a || rm b", "sort -o x y", "cat <(rm a)", "ls && ls & rm a"],
  ])("%j may write", (command) => {
    expect(readsOnly(command)).toBe(false)
  })
})

describe("permissions", () => {
  test("what a command may do beyond its text is part of what is allowed", () => {
    const plain = commandPermission({ command: "touch a" })
    const more = commandPermission({ command: "touch a", additionalPermissions: { network: { enabled: true } } })
    expect(plain.always).toEqual(["command touch a"])
    expect(more.covers).not.toEqual(plain.covers)
    const elsewhere = ["/a", "/b"].map((cwd) => commandPermission({ command: "touch a", cwd }).covers[0])
    expect(new Set([...elsewhere, ...plain.covers]).size).toBe(3)
    // Only the model's call tells what is typed: nothing that is always the same.
    expect(commandPermission({ kind: "writeStdin", command: null })).toMatchObject({
      ...{ kind: "command", action: "write_stdin", readOnly: false, covers: [], always: [] },
    })
    const host = commandPermission({
      command: "ls",
      networkApprovalContext: { host: "example.org", protocol: "https" },
    })
    expect([host.kind, host.readOnly]).toEqual(["network", false])
  })

  test("files of one patch count together", () => {
    const change = (path: string) => ({ path, kind: { type: "add" }, diff: "x\n" })
    const both = filePermission({}, [change("/b"), change("/a")])
    expect(both.covers).toEqual([filePermission({}, [change("/a"), change("/b")]).covers[0]])
    expect(both.covers).not.toEqual(filePermission({}, [change("/a + /b")]).covers)
    expect(filePermission({}, [change("/a")]).covers).toEqual(["edit /a"])
    expect(filePermission({}, []).always).toEqual([])
  })

  test("modes are told so that whatever writes is asked for or cannot", () => {
    expect(policyOf("default", true).approvalPolicy).toBe("untrusted")
    expect(policyOf("acceptEdits", true).approvalPolicy).toBe("untrusted")
    expect(policyOf("bypass", true)).toEqual({ approvalPolicy: "never", sandboxPolicy: { type: "dangerFullAccess" } })
    expect(policyOf("plan", true)).toMatchObject({ approvalPolicy: "on-request", sandboxPolicy: { type: "readOnly" } })
    expect(policyOf("plan", false)).toMatchObject({ approvalPolicy: "untrusted" })
  })
})

describe("where a server lives", () => {
  const host = { home: "/data/agents/codex", reach: new Confinement() }
  const fresh = { kind: "new" } as const
  const withoutKeys = () => {
    for (const name of ["CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"]) vi.stubEnv(name, "")
    onTestFinished(() => void vi.unstubAllEnvs())
  }

  test("without a key it is the user's home, with one a home of ours for that key", async () => {
    withoutKeys()
    expect(await serverHomeOf(fresh, { HOME: "/home/u" }, host)).toMatchObject({ home: "/home/u/.codex" })
    const given = await serverHomeOf(fresh, { HOME: "/home/u", OPENAI_API_KEY: "a" }, host)
    expect(given.home).toMatch(/^\/data\/agents\/codex\/homes\/[0-9a-f]{16}$/)
    expect(given.login).toBe("a")
    expect((await serverHomeOf(fresh, { OPENAI_API_KEY: "b" }, host)).home).not.toBe(given.home)
    expect((await serverHomeOf(fresh, { OPENAI_API_KEY: "a", CODEX_API_KEY: "c" }, host)).login).toBe("c")
    vi.stubEnv("OPENAI_API_KEY", "of the daemon")
    const ofDaemon = await serverHomeOf(fresh, {}, host)
    expect([ofDaemon.home, ofDaemon.login]).toEqual(["/data/agents/codex/home", "of the daemon"])
  })

  test("a session keeps its home, and only a home of ours is logged into", async () => {
    withoutKeys()
    const ref = { id: "x", home: "/home/u/.codex", durable: true }
    const kept = await serverHomeOf({ kind: "resume", ref }, { OPENAI_API_KEY: "a" }, host)
    expect([kept.home, kept.login]).toEqual(["/home/u/.codex", undefined])
    const ours = { ...ref, home: "/data/agents/codex/home" }
    expect((await serverHomeOf({ kind: "resume", ref: ours }, { OPENAI_API_KEY: "new" }, host)).login).toBe("new")
  })

  test("a provider of the user's own is the user's matter, and gets the variable it names", async () => {
    withoutKeys()
    const home = join(scratch(), "home")
    mkdirSync(home)
    const provider = '[model_providers.mine]\nname = "mine"\nenv_key = "MINE_KEY"\n'
    writeFileSync(join(home, "config.toml"), `model_provider = "mine"\n${provider}`)
    vi.stubEnv("MINE_KEY", "secret")
    const serverHome = await serverHomeOf(fresh, { CODEX_HOME: home, OPENAI_API_KEY: "a" }, host)
    expect(serverHome).toMatchObject({ home, env: { MINE_KEY: "secret", CODEX_HOME: home } })
    expect(serverHome.login).toBeUndefined()
    // An agent that is another user wrote that configuration itself.
    const me = { name: "me", uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, groups: [] }
    const another = { ...host, reach: new Confinement([], [], [], me) }
    expect(Object.keys((await serverHomeOf(fresh, { CODEX_HOME: home }, another)).env)).toEqual(["CODEX_HOME"])
  })

  test("the key of a pool tells apart what must not share a server", () => {
    const launcher = { command: ["codex"], env: {} }
    const serverHome = { home: "/h", env: {}, models: [] }
    const key = (more: object = {}, env: Record<string, string> = {}, skills?: string) =>
      poolKey(launcher, { ...serverHome, ...more }, { environment: (given) => ({ ...env, ...given }) }, skills)
    const keys = [key(), key({ home: "/i" }), key({ login: "a" }), key({ login: "b" }), key({ baseUrl: "u" })]
    expect(new Set([...keys, key({}, { A: "1" }), key({}, {}, "/skills")]).size).toBe(7)
    expect(key({}, { A: "1", B: "2" })).toBe(key({}, { B: "2", A: "1" }))
    expect(launchFlags({ baseUrl: "http://x" })).toContain('openai_base_url="http://x"')
  })
})

describe("small things", () => {
  test("diffs of files that come, go and move", () => {
    const added = diffOf({ path: "/w/a", kind: { type: "add" }, diff: "x" })
    expect(added).toBe("--- /dev/null\n+++ b/w/a\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n")
    expect(diffOf({ path: "/w/a", kind: { type: "delete" }, diff: "" })).toBe("--- a/w/a\n+++ /dev/null\n")
    const moved = diffOf({ path: "/w/a", kind: { type: "update", move_path: "/w/b" }, diff: "@@ -1 +1 @@\n" })
    expect(moved).toBe("--- a/w/a\n+++ b/w/b\n@@ -1 +1 @@\n")
  })

  test("variants are efforts, alone or with a tier", () => {
    const model = {
      id: "m",
      supportedReasoningEfforts: [{ reasoningEffort: "high" }],
      serviceTiers: [{ id: "priority", name: "Fast" }],
    }
    expect(choiceOf([model], "m", "high")).toEqual({ effort: "high", tier: null })
    expect(choiceOf([model], "m", "high-fast")).toEqual({ effort: "high", tier: "priority" })
    expect(choiceOf([model], "unlisted", "high-fast")).toEqual({ effort: "high", tier: "priority" })
    expect(() => choiceOf([model], "m", "low")).toThrow("has no variant low")
  })

  test("commands of Codex's own, and texts that only look like them", () => {
    const slash = (text: string) => slashOf({ id: "1", text, attachments: [] })?.method
    expect(["/compact", "/review", "/review this"].map(slash)).toEqual([
      ...["thread/compact/start", "review/start", "review/start"],
    ])
    expect(["/compacted", "please /compact", "/etc/hosts"].map(slash)).toEqual([undefined, undefined, undefined])
  })

  test("pictures go along, other files are named", () => {
    const attachments = [
      { path: "/w/a.png", mime: "image/png" },
      { path: "/w/b.txt", mime: "text/plain" },
    ]
    expect(inputOf({ id: "1", text: "look", attachments })).toEqual([
      { type: "localImage", path: "/w/a.png" },
      { type: "text", text: "look\n\nAttached files:\n- /w/b.txt", text_elements: [] },
    ])
    const [image] = inputOf({ id: "1", text: "", attachments: [{ bytes: new Uint8Array([1]), mime: "image/png" }] })
    expect(image).toEqual({ type: "image", url: "data:image/png;base64,AQ==" })
  })

  test("unknown kinds of errors keep their names", () => {
    expect(errorOf({ message: "m", codexErrorInfo: "somethingNew" }).code).toBe("something_new")
    expect(errorOf({ message: "m", codexErrorInfo: { somethingElse: {} } }).code).toBe("something_else")
    expect(errorOf({ message: "{broken", codexErrorInfo: "other" }).code).toBe("agent_error")
  })

  test("of a growing file only whole lines count, and each once", async () => {
    const path = join(scratch(), "rollout.jsonl")
    const line = (call_id: string) =>
      JSON.stringify({ type: "response_item", payload: { type: "function_call", call_id } })
    writeFileSync(path, `${line("before")}\n`)
    const rollout = await Rollout.at(path, new Confinement())
    writeFileSync(path, `${line("one")}\n{"torn "call_id"\n${line("two").slice(0, 20)}`, { flag: "a" })
    expect((await rollout.calls()).map(({ call_id }) => call_id)).toEqual(["one"])
    writeFileSync(path, `${line("two").slice(20)}\n`, { flag: "a" })
    expect((await rollout.calls()).map(({ call_id }) => call_id)).toEqual(["two"])
    expect(await rollout.calls()).toEqual([])
  })
})

describe("a sub-agent whose interrupted turn still has commands", () => {
  test.each([
    ["ends it when they are dead", "one", 1],
    ["and has begun another one by then, goes on with that", "two", 0],
  ])("%s", async (_, turn, ends) => {
    const listed = Promise.withResolvers<object>()
    const lines: string[] = []
    const server = { request: () => listed.promise }
    const sink = { line: (raw: string) => void lines.push(raw) }
    const child = new Thread(sink as unknown as Sink, "child", "call")
    child.turn = "one"
    endAfterCommands({ server, sink } as unknown as Conversation, child, { id: "one", status: "interrupted" } as Turn)
    expect([child.ending, lines]).toEqual([true, []])
    child.turn = turn
    listed.resolve({ data: [] })
    await vi.waitFor(() => expect(child.ending).toBe(false))
    expect(lines).toHaveLength(ends)
  })
})

describe("a thread that a stuck server holds", () => {
  test("is asked for again when that server ends while the refusal is on its way", async () => {
    const servers = new Servers("0")
    const stuck = { alive: true }
    servers.stuck("t", stuck as Server)
    const { server, opened } = refusedOnce(limits.closeMs + 1, () => (stuck.alive = false))
    expect(await resumeThread(server, servers, "t", {}, { ...member, openMs: limits.openMs })).toBe(opened)
  })

  test("is waited for half as long as the daemon was told that an opening may take", async () => {
    const servers = new Servers("0")
    servers.stuck("t", { alive: true } as Server)
    const patient = refusedOnce(limits.openMs)
    const opening = resumeThread(patient.server, servers, "t", {}, { ...member, openMs: 3 * limits.openMs })
    expect(await opening).toBe(patient.opened)
    const { server } = refusedOnce(limits.openMs / 4)
    await expect(
      resumeThread(server, servers, "t", {}, { ...member, openMs: limits.openMs / 4 }),
    ).rejects.toMatchObject({
      code: "unavailable",
    })
  })
})

const member = { sink: {} as Sink }

/** A server that refuses a thread because another one holds it, `ms` after it was asked, and gives it the next time. */
function refusedOnce(ms: number, meanwhile = () => {}) {
  const clock = vi.spyOn(Date, "now")
  onTestFinished(() => clock.mockRestore())
  const opened = { thread: { id: "t" } }
  const answers = [
    () => {
      meanwhile()
      const later = Date.now() + ms
      clock.mockReturnValue(later)
      throw new Refused("thread/resume", { message: "thread t has an active writer" })
    },
    () => opened,
  ]
  return { opened, server: { request: async () => answers.shift()?.() } as unknown as Server }
}
