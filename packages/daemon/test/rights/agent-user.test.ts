import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { tokenSocket } from "../../src/cli/token-socket.ts"
import { launcherFor } from "../../src/supervisor/launch-as.ts"
import { findUser, type User } from "../../src/supervisor/users.ts"
import { keptDirectory } from "../durability/database.ts"
import { takeWaysOut } from "../durability/ways-out.ts"
import { type DaemonOptions, scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { answersIn, play, startPuppet } from "../hostile/puppet.ts"
import { gone, killAfterTest, lives } from "../supervisor/processes.ts"
import { isRoot, unprivileged } from "./users.ts"

const nobody = findUser("nobody")

/** A folder that belongs to the agents' user. */
function workFolder(): string {
  const folder = scratch()
  chownSync(folder, nobody?.uid ?? 0, nobody?.gid ?? 0)
  return folder
}

const asNobody = ["--agent-user", "nobody"]

/** With a folder for its agents beside its data directory, which goes with it. */
async function startAs(options: DaemonOptions = {}): Promise<TestDaemon & { work: string; agents: string }> {
  const work = workFolder()
  const daemon = await startDaemon({ cwd: work, ...options, flags: [...asNobody, ...(options.flags ?? [])] })
  const agents = `${daemon.dataDir}-nobody`
  onTestFinished(() => rmSync(agents, { recursive: true, force: true }))
  return { ...daemon, work, agents }
}

/** What a command of the agent's shell says. */
async function said({ api }: TestDaemon, id: string, command: string): Promise<string> {
  const events = await api.turn(id, `/run ${command}`)
  return events
    .flatMap((event) => (event.type === "item.completed" ? event.data.item.content : []))
    .flatMap((part) => (part.type === "tool_result" ? [part.output] : []))
    .join("")
}

const approver = new URL("./approver.ts", import.meta.url).pathname

/** Words for a shell that answers a permission of the session `waits`. */
function approval({ url, token }: TestDaemon, permission: string): string {
  const path = `/v1/sessions/waits/permissions/${permission}/reply`
  const words = [process.execPath, approver, url, token, "http", "POST", path, '{"reply":"once"}']
  return words.map((word) => `'${word}'`).join(" ")
}

describe.skipIf(!isRoot)("agents that run as another user", () => {
  test("have ids, groups and a home of that user, and nothing of the daemon's", async () => {
    await using daemon = await startAs({ env: { XDG_RUNTIME_DIR: "/run/user/0" } })
    await daemon.api.create("one", { permissionMode: "bypass" })
    const seen = await said(
      daemon,
      "one",
      "id -un; id -gn; id -G; echo $HOME; echo $USER; echo x$XDG_RUNTIME_DIR; umask",
    )
    const home = join(daemon.agents, "home")
    expect(seen.split("\n").slice(0, 6)).toEqual(["nobody", "nogroup", String(nobody?.gid), home, "nobody", "x"])
    expect(statSync(home)).toMatchObject({ uid: nobody?.uid, mode: 0o40700 })
    expect(await said(daemon, "one", "grep -E '^Cap(Prm|Eff)' /proc/self/status")).toMatch(/^(Cap\w+:\s+0+\n){2}/)
    // It remembers over an end of its process, in a place of its own.
    await daemon.api.turn("one", "remember")
    expect(statSync(join(daemon.agents, "agents", "mock"))).toMatchObject({ uid: nobody?.uid, mode: 0o40700 })
  })

  test("cannot read the token, the database or anything else of the daemon, nor signal it", async () => {
    const dataDir = keptDirectory()
    chmodSync(dataDir, 0o755)
    await using daemon = await startAs({ dataDir })
    const { pid } = daemon
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    await daemon.api.create("spy", { permissionMode: "bypass" })
    const files = ["daemon.json", "daemon.sock", "sandbox-agent.db", "agents.json"].map((name) => join(dataDir, name))
    const tries = [
      ...files.map((file) => `cat ${file}`),
      `ls ${dataDir}`,
      `cd ${dataDir}`,
      ...["environ", "mem", "maps", "fd/0", "root/etc/shadow"].map((file) => `head -c 1 /proc/${pid}/${file}`),
      `kill -0 ${pid}`,
      `kill -TERM ${pid}`,
      `ls ${daemon.agents}`,
      `touch ${daemon.agents}/bin/x`,
      `touch ${daemon.agents}/attachments/x`,
    ]
    for (const one of tries)
      expect(await said(daemon, "spy", `(${one}) >/dev/null 2>&1 && echo done || echo refused`), one).toContain(
        "refused",
      )
    const connect = `perl -e 'use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un("${tokenSocket(dataDir)}")) or die "closed"; print "open"'`
    expect(await said(daemon, "spy", connect)).toContain("closed")
    expect((await daemon.api.ok("GET", "/v1/health")).status).toBe("ok")
  })

  test("cannot answer permissions, whatever process they do it by", async () => {
    await using daemon = await startAs()
    await daemon.api.create("spy", { permissionMode: "bypass" })
    await daemon.api.create("waits")
    await daemon.api.send("waits", "/permission echo allowed")
    const { data } = await daemon.api.until("waits", "permission.requested")
    expect(await said(daemon, "spy", approval(daemon, data.permission_id))).toMatch(
      /^403 .*of an agent tried to answer/,
    )
    // Not even one of theirs that nobody's agent has started.
    const words = approval(daemon, data.permission_id)
    const others = Bun.spawnSync([...unprivileged, "sh", "-c", words]).stdout.toString()
    expect(others).toMatch(/^403 /)
    await daemon.api.reply("waits", data, "once")
  })

  test("are seen and ended also by a root that has no more capabilities than in a container", async () => {
    const before = process.umask(0)
    onTestFinished(() => void process.umask(before))
    const caps = [
      "chown",
      "dac_override",
      "fowner",
      "fsetid",
      "kill",
      "setgid",
      "setuid",
      "setpcap",
      "net_bind_service",
    ]
    await using daemon = await startAs({ behind: `exec setpriv --bounding-set=-all,+${caps.join(",+")}` })
    await daemon.api.create("waits")
    await daemon.api.send("waits", "/permission echo allowed")
    const { data } = await daemon.api.until("waits", "permission.requested")
    const pids = await takeWaysOut({ ...daemon, dataDir: daemon.work }, "one")
    for (const pid of pids) killAfterTest(pid)
    expect(await said(daemon, "one", approval(daemon, data.permission_id))).toMatch(
      /^403 .*of an agent tried to answer/,
    )
    await daemon.api.ok("DELETE", "/v1/sessions/one")
    for (const pid of pids) await gone(pid)
  })

  test("work only where that user can: else create says what to do", async () => {
    await using daemon = await startAs()
    const closed = scratch()
    const body = { agent: "mock", directory: closed }
    expect(await daemon.api.call("POST", "/v1/sessions/closed", body)).toMatchObject({
      status: 403,
      body: {
        detail: `directory: user nobody, whom agents run as, cannot enter ${closed}`,
        hint: expect.stringContaining(`chown -R nobody ${closed}`),
      },
    })
    expect((await daemon.api.call("GET", "/v1/sessions/closed")).status).toBe(404)
    chmodSync(closed, 0o755)
    expect(await daemon.api.call("POST", "/v1/sessions/closed", body)).toMatchObject({ status: 201 })
  })

  test("read what a message brings along, and nobody else does", async () => {
    await using daemon = await startAs()
    await daemon.api.create("reads", { permissionMode: "bypass" })
    const secret = join(scratch(), "secret.txt")
    writeFileSync(secret, "named by path", { mode: 0o600 })
    const open = join(daemon.work, "open.txt")
    writeFileSync(open, "already open")
    const sent = Buffer.from("sent as data").toString("base64")
    await daemon.api.send("reads", "look", {
      attachments: [{ data: sent, mime: "text/plain", filename: "sent.txt" }, { path: secret }, { path: open }],
    })
    const { data } = await daemon.api.until("reads", "item.completed")
    const paths = data.item.content.flatMap((part) => (part.type === "file_ref" ? [part.path] : []))
    expect(paths).toHaveLength(3)
    expect(paths[1]).not.toBe(secret)
    expect(paths[2]).toBe(open)
    for (const [index, text] of ["sent as data", "named by path", "already open"].entries())
      expect(await said(daemon, "reads", `cat ${paths[index]}`)).toContain(text)
    const other = ["setpriv", "--reuid=games", "--regid=games", "--clear-groups", "cat", paths[0] ?? ""]
    expect(Bun.spawnSync(other).exitCode).not.toBe(0)
  })

  for (const [what, method, path] of [
    ["DELETE", "DELETE", "/v1/sessions/one"],
    ["terminate", "POST", "/v1/sessions/one/terminate"],
  ] as const)
    test(`end with ${what}, with all that got out of them`, async () => {
      const before = process.umask(0)
      onTestFinished(() => void process.umask(before))
      await using daemon = await startAs()
      const pids = await takeWaysOut({ ...daemon, dataDir: daemon.work }, "one")
      for (const pid of pids) killAfterTest(pid)
      expect(pids.map((pid) => [lives(pid), statSync(`/proc/${pid}`).uid])).toEqual(pids.map(() => [true, nobody?.uid]))
      await daemon.api.ok(method, path, method === "POST" ? {} : undefined)
      for (const pid of pids) await gone(pid)
    })

  for (const signal of ["SIGTERM", "SIGKILL"] as const)
    test(`end with the daemon, also by ${signal}`, async () => {
      const before = process.umask(0)
      onTestFinished(() => void process.umask(before))
      await using daemon = await startAs({ dataDir: keptDirectory() })
      const pids = await takeWaysOut({ ...daemon, dataDir: daemon.work }, "one")
      for (const pid of pids) killAfterTest(pid)
      daemon.kill(signal)
      await daemon.exited
      for (const pid of pids) await gone(pid)
    })
})

describe.skipIf(!isRoot)("files that an ACP agent of another user has us open", () => {
  let daemon: TestDaemon
  const work = workFolder()
  beforeAll(async () => {
    daemon = await startPuppet(asNobody)
    await daemon.api.create("acp", { agent: "puppet", directory: work })
  })
  afterAll(async () => {
    await daemon?.stop()
    rmSync(`${daemon?.dataDir}-nobody`, { recursive: true, force: true })
  })
  const read = (path: string) => ({ request: "fs/read_text_file", params: { path: join(work, path) } })
  const write = (path: string) => ({
    request: "fs/write_text_file",
    params: { path: join(work, path), content: "changed" },
  })
  const refused = { message: expect.stringMatching(/by user nobody/) }

  test("are those that the user could open itself", async () => {
    writeFileSync(join(work, "open.txt"), "open", { mode: 0o644 })
    writeFileSync(join(work, "closed.txt"), "closed", { mode: 0o600 })
    mkdirSync(join(work, "hidden"), { mode: 0o700 })
    writeFileSync(join(work, "hidden", "inside.txt"), "inside", { mode: 0o644 })
    const steps = [read("open.txt"), read("closed.txt"), read("hidden/inside.txt")]
    expect(answersIn(await play(daemon, "acp", steps))).toMatchObject([{ content: "open" }, refused, refused])
  })

  test("belong to it when they are new, and are not written when it could not", async () => {
    const steps = [write("new/deep/file.txt"), write("open.txt"), write("closed.txt"), write("hidden/new.txt")]
    expect(answersIn(await play(daemon, "acp", steps))).toMatchObject([{}, refused, refused, refused])
    for (const made of ["new", "new/deep", "new/deep/file.txt"])
      expect(statSync(join(work, made)).uid, made).toBe(nobody?.uid)
    expect(readFileSync(join(work, "open.txt"), "utf8")).toBe("open")
    expect(readFileSync(join(work, "closed.txt"), "utf8")).toBe("closed")
  })
})

test.skipIf(!isRoot)("further groups of a user are given to its processes", () => {
  const { ids, words, lacksGroups } = launcherFor({ ...(nobody as User), groups: [nobody?.gid ?? 0, 60, 100] })
  const { stdout } = Bun.spawnSync(words(["sh", "-c", "id -u; id -G"]), ids)
  expect([stdout.toString(), lacksGroups]).toEqual([`${nobody?.uid}\n${nobody?.gid} 60 100\n`, false])
})

describe("--agent-user is refused at start", () => {
  const refused = async (options: DaemonOptions, words: RegExp) => {
    await expect(startDaemon(options)).rejects.toThrow(words)
  }

  test.skipIf(!isRoot)("for a user who is not there, is root, or is the daemon's own", async () => {
    await refused({ flags: ["--agent-user", "no-such-user"] }, /there is no user no-such-user[\s\S]*useradd/)
    await refused({ flags: ["--agent-user", "root"] }, /root is the user of the daemon itself/)
  })

  test.skipIf(!isRoot)("where the daemon may not change the user", async () => {
    const dataDir = workFolder()
    onTestFinished(() => rmSync(`${dataDir}-games`, { recursive: true, force: true }))
    const behind = `exec ${unprivileged.join(" ")} env HOME=${dataDir}`
    await refused({ dataDir, behind, flags: ["--agent-user", "games"] }, /may not run programs as games[\s\S]*as root/)
    await refused({ dataDir, behind, flags: asNobody }, /nobody is the user of the daemon itself/)
  })

  test.skipIf(!isRoot)("where its folder cannot be reached", async () => {
    await refused({ flags: [...asNobody, "--agent-dir", join(scratch(), "agents")] }, /cannot reach[\s\S]*--agent-dir/)
  })

  test("with settings that would undo it", async () => {
    const open = { SANDBOX_AGENT_TOKEN: undefined as never }
    await refused({ flags: [...asNobody, "--no-token"], env: open }, /cannot go with --no-token/)
    await refused({ flags: ["--agent-dir", "/tmp/x"] }, /no user is named/)
    const dataDir = scratch()
    await refused({ dataDir, flags: [...asNobody, "--agent-dir", join(dataDir, "x")] }, /closed to agents/)
  })
})

test.skipIf(!isRoot)(
  "whether its user may enter a folder is found out rightly while other agents come to their end",
  async () => {
    await using daemon = await startAs()
    const { api, work } = daemon
    const chaos = async (name: string) => {
      for (let n = 0; n < 12; n++) {
        await api.create(`${name}-${n}`, { directory: work })
        await api.ok("DELETE", `/v1/sessions/${name}-${n}`)
      }
    }
    await Promise.all(["a", "b", "c"].map(chaos))
  },
)
