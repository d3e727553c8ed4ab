import { execFileSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { errors } from "@sandbox-agent/schema/error"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { describe, expect, test } from "vitest"
import { type DaemonRecord, daemonFile, daemonLog } from "../../src/cli/daemon-file.ts"
import { processStartTime } from "../../src/cli/process-identity.ts"
import { tokenSocket } from "../../src/cli/token-socket.ts"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { cleanEnvironment, cli, startCli, temporaryFolder } from "./spawn.ts"

interface DaemonOutput {
  running: boolean
  state: string
  pid: number
  url: string
  tokenNeeded: boolean
}

/** A data directory whose daemon, if one was started, ends with the test. */
function dataDir() {
  const folder = temporaryFolder()
  const path = join(folder.path, "data")
  const env = { SANDBOX_AGENT_DATA_DIR: path }
  const record = (): DaemonRecord => JSON.parse(readFileSync(daemonFile(path), "utf8")) as DaemonRecord
  return {
    path,
    env,
    record,
    token: async () => (await cli(["daemon", "token"], { env })).stdout.trimEnd(),
    start: async (...args: string[]) => await cli(["daemon", "start", "--port", "0", ...args], { env }),
    [Symbol.asyncDispose]: async () => {
      await cli(["daemon", "stop"], { env })
      folder[Symbol.dispose]()
    },
  }
}

const json = (text: string): DaemonOutput => JSON.parse(text) as DaemonOutput

describe("daemon", () => {
  test("start, status, start again, stop, stop again", async () => {
    await using data = dataDir()
    expect((await cli(["daemon", "status"], data)).code).toBe(1)
    const started = await data.start("--json")
    expect([started.code, started.stderr]).toEqual([0, ""])
    const { pid, url, tokenNeeded, state } = json(started.stdout)
    expect(state).toBe("started")
    expect(processStartTime(pid)).toBeDefined()
    expect((await fetch(`${url}/v1/health`)).status).toBe(200)
    expect((await fetch(`${url}/v1/sessions`)).status).toBe(401)
    const token = await data.token()
    expect(tokenNeeded).toBe(true)
    expect(statSync(daemonFile(data.path)).mode & 0o777).toBe(0o600)
    expect((await fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)

    const status = await cli(["daemon", "status"], data)
    expect(status.code).toBe(0)
    expect(status.stdout).toContain(`url: ${url}\ntoken: \`sandbox-agent daemon token\` prints it\n`)
    const again = await data.start("--json")
    expect([again.code, json(again.stdout).pid, json(again.stdout).state]).toEqual([0, pid, "already running"])
    const stopped = await cli(["daemon", "stop"], data)
    expect(stopped).toEqual({ code: 0, stdout: `stopped (pid ${pid})\n`, stderr: "" })
    expect(processStartTime(pid)).toBeUndefined()
    expect([daemonFile(data.path), tokenSocket(data.path)].filter(existsSync)).toEqual([])
    expect((await cli(["daemon", "token"], data)).code).toBe(1)
    expect((await cli(["daemon", "stop"], data)).code).toBe(0)
    expect(json((await cli(["daemon", "status", "--json"], data)).stdout).running).toBe(false)
  })

  test("an error in JSON has the number of its request, by which the log has it", async () => {
    await using daemon = await startDaemon()
    const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
    const { code, stderr } = await cli(["sessions", "get", "nope", "--json"], { env })
    expect([code, JSON.parse(stderr)]).toMatchObject([4, { requestId: expect.stringMatching(/^req_/), status: 404 }])
  })

  test("a word too many is refused before anything is done", async () => {
    await using data = dataDir()
    const { pid } = json((await data.start("--json")).stdout)
    for (const word of ["status", "token", "logs", "open", "stop"]) {
      const { code, stdout, stderr } = await cli(["daemon", word, "extra"], data)
      expect([word, code, stdout]).toEqual([word, 2, ""])
      expect(stderr).toContain(
        `\`daemon ${word}\` takes no argument, but \`extra\` was given; did you mean --data-dir?`,
      )
    }
    expect(json((await cli(["daemon", "status", "--json"], data)).stdout).pid).toBe(pid)
  })

  test("one in the foreground has no log to name, and who wants its directory is told how to end it", async () => {
    const dataDir = join(scratch(), "it's")
    mkdirSync(dataDir)
    await using daemon = await startDaemon({ dataDir })
    const env = { SANDBOX_AGENT_DATA_DIR: daemon.dataDir }
    const status = await cli(["daemon", "status"], { env })
    expect([status.code, status.stdout]).toEqual([0, expect.not.stringContaining("log:")])
    const second = await cli(["server", "--port", "0", "--data-dir", daemon.dataDir])
    const [, command = ""] = /stop it \((.*)\) or/.exec(second.stderr) ?? []
    expect(command).toMatch(/^sandbox-agent daemon stop --data-dir '/)
    const words = execFileSync("sh", ["-c", `printf '%s\\n' ${command}`], { encoding: "utf8" })
      .trimEnd()
      .split("\n")
    expect(words.at(-1)).toBe(daemon.dataDir)
  })

  test("started again with settings that it does not have it is a conflict, or told which do not count", async () => {
    await using data = dataDir()
    const { pid, url } = json((await data.start("--json", "--token=mine")).stdout)
    for (const flags of [["--port=1"], ["--token=another"]]) {
      const other = await data.start(...flags)
      expect([other.code, other.stdout]).toEqual([errors.conflict.exit, ""])
      expect(other.stderr).toContain(`already runs on ${data.path} at ${url} (pid ${pid})`)
      expect(other.stderr).toContain("daemon stop")
    }
    const same = await data.start(`--port=${new URL(url).port}`, "--token=mine", "--log-level=debug")
    expect(same.code).toBe(0)
    expect(same.stderr).toMatch(/^warning: .*--log-level will count when it is stopped and started again\n$/)
  })

  test("the token is in no argument, no environment and no file, however it was given", async () => {
    await using data = dataDir()
    const files = () => readdirSync(data.path).filter((name) => statSync(join(data.path, name)).isFile())
    const holders = (pid: number, token: string) =>
      [...files().map((name) => join(data.path, name)), `/proc/${pid}/cmdline`, `/proc/${pid}/environ`].filter((file) =>
        readFileSync(file).includes(token),
      )
    expect((await data.start("--token", "given-secret")).code).toBe(0)
    expect(await data.token()).toBe("given-secret")
    expect(holders(data.record().pid, "given-secret")).toEqual([])
    await cli(["daemon", "stop"], data)
    expect((await data.start()).code).toBe(0)
    const made = await data.token()
    expect(made).toMatch(/^[0-9a-f]{48}$/)
    expect(holders(data.record().pid, made)).toEqual([])
    expect(files()).toContain("daemon.json")
  })

  test("--no-token wins over a token of the environment", async () => {
    await using data = dataDir()
    const env = { ...data.env, SANDBOX_AGENT_TOKEN: "unused" }
    expect((await cli(["daemon", "start", "--port=0", "--no-token"], { env })).stdout).toContain("token: none needed")
    expect((await fetch(`${data.record().url}/v1/sessions`)).status).toBe(200)
    expect(readFileSync(`/proc/${data.record().pid}/environ`, "utf8")).not.toContain("unused")
  })

  test("one that was killed is not running, and can be started again", async () => {
    await using data = dataDir()
    await data.start()
    const { pid } = data.record()
    process.kill(pid, "SIGKILL")
    while (processStartTime(pid) !== undefined) await Bun.sleep(10)
    expect(existsSync(daemonFile(data.path))).toBe(true)
    expect((await cli(["daemon", "status"], data)).code).toBe(1)
    expect(json((await data.start("--json")).stdout).state).toBe("started")
    expect(data.record().pid).not.toBe(pid)
  })

  test("one that cannot start says why, with the end of its log", async () => {
    await using data = dataDir()
    const taken = createServer().listen(0, "127.0.0.1")
    const { port } = taken.address() as { port: number }
    const { code, stderr } = await cli(["daemon", "start", "--port", String(port)], data)
    taken.close()
    expect(code).toBe(9)
    expect(stderr).toContain("in use")
    expect(stderr).toContain(daemonLog(data.path))
  })

  test("a data directory that is a file is told, by every command that would write there", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "file")
    writeFileSync(file, "")
    for (const words of [
      ["daemon", "start", "--port", "0"],
      ["agents", "add", "--id", "mine", "--", "true"],
    ]) {
      const split = words.includes("--") ? words.indexOf("--") : words.length
      const all = [...words.slice(0, split), "--data-dir", file, ...words.slice(split)]
      expect(await cli(all)).toMatchObject({ code: 9, stderr: expect.stringContaining("make it a writable folder") })
    }
  })

  test("where none runs no word of that can be taken for its token", async () => {
    await using data = dataDir()
    const said = await cli(["daemon", "token", "--data-dir", data.path])
    expect(said).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("not running") })
  })

  test("every command finds the daemon by --data-dir, whatever the environment names", async () => {
    await using data = dataDir()
    expect((await data.start()).code).toBe(0)
    const elsewhere = { env: { SANDBOX_AGENT_URL: "http://127.0.0.1:1", SANDBOX_AGENT_TOKEN: "another" } }
    const here = ["--data-dir", data.path]
    for (const words of [
      ["sessions", "create", "found", "--agent", "mock"],
      ["sessions", "reply-permission", "found", "once"],
      ["fs", "tree", "/usr", "--depth", "1"],
      ["run", "mock", "hello", "--session", "found"],
    ]) {
      const ended = await cli([...words, ...here], elsewhere)
      expect([words.join(" "), ended.code]).toEqual([words.join(" "), words[1] === "reply-permission" ? 4 : 0])
    }
    const empty = { env: { ...data.env, SANDBOX_AGENT_TOKEN: "", SANDBOX_AGENT_URL: "", SANDBOX_AGENT_PORT: "no" } }
    expect(await cli(["sessions", "list"], empty)).toMatchObject({ code: 0, stdout: expect.stringContaining("found") })
  })

  test("in memory there is nothing to find it by", async () => {
    await using data = dataDir()
    expect((await data.start("--store=memory")).code).toBe(2)
  })

  test("logs: the last lines, then what is written", async () => {
    await using data = dataDir()
    expect((await cli(["daemon", "logs"], data)).code).toBe(1)
    await data.start()
    appendFileSync(daemonLog(data.path), `${"x".repeat(200_000)}\none\ntwo\nthree\n`)
    expect((await cli(["daemon", "logs", "--lines", "2"], data)).stdout).toBe("two\nthree\n")
    expect((await cli(["daemon", "logs", "-n", "0"], data)).stdout).toBe("")
    expect((await cli(["daemon", "logs"], data)).stdout).toBe(readFileSync(daemonLog(data.path), "utf8"))
    expect((await cli(["daemon", "logs", "-n", "x"], data)).code).toBe(2)
    const child = startCli(["daemon", "logs", "--follow", "-n", "1"], data)
    const reader = child.stdout.getReader()
    let seen = ""
    const until = async (text: string): Promise<void> => {
      while (!seen.includes(text)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`no ${text} in ${seen}`)
        seen += new TextDecoder().decode(value)
      }
    }
    await until("three\n")
    appendFileSync(daemonLog(data.path), "four\n")
    await until("four\n")
    expect(seen).toBe("three\nfour\n")
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
  })
})

test("a server goes on when nobody reads its output any more, and still ends cleanly", async () => {
  await using data = dataDir()
  const shell = Bun.spawn(["bash", "-c", '"$0" "$@" server --port 0 --no-token 2>&1 | head -n 1', ...daemonProgram()], {
    env: { ...cleanEnvironment, ...data.env },
  })
  while (!existsSync(daemonFile(data.path))) await Bun.sleep(10)
  const { pid, url } = data.record()
  expect(new TextDecoder().decode((await shell.stdout.getReader().read()).value)).toContain(url)
  expect((await fetch(`${url}/v1/sessions/none`)).status).toBe(404)
  // It logs that it stops; with nobody to read that, it must go on to stop.
  process.kill(pid, "SIGTERM")
  while (processStartTime(pid) !== undefined) await Bun.sleep(10)
  expect(existsSync(daemonFile(data.path))).toBe(false)
})

test("a server that is stopped in the moment it says where it listens ends cleanly, and leaves nothing to find it by", async () => {
  for (let round = 0; round < 5; round++) {
    await using daemon = await startDaemon()
    expect(await daemon.stop()).toBe(0)
    expect([daemonFile(daemon.dataDir), tokenSocket(daemon.dataDir)].filter(existsSync)).toEqual([])
  }
})

describe("api commands on a real daemon", () => {
  test("a session from create to delete", async () => {
    await using data = dataDir()
    await data.start()
    const run = async (...args: string[]) => await cli(args, data)
    expect((await run("agents", "list")).stdout).toMatch(/^mock\ttrue\t/m)
    expect(
      (
        await run(
          "sessions",
          "create",
          "my-session",
          "--agent",
          "mock",
          "--title",
          "A title",
          "--metadata",
          '{"k":[1]}',
        )
      ).code,
    ).toBe(0)
    expect((await run("sessions", "create", "my-session", "--agent", "mock")).code).toBe(5)
    expect((await run("sessions", "create", "other", "--agent", "nope")).code).toBe(2)
    expect((await run("sessions", "list")).stdout).toMatch(/^my-session\tmock\tidle\t\S+\tA title\t\S+\n$/)
    expect((await run("sessions", "stream-message", "my-session", "hello there")).stdout).toBe(
      "> hello there\nhello there\n[turn ended] end_turn\n",
    )
    expect((await run("sessions", "get-messages", "my-session")).stdout).toMatch(
      /\tuser\tcompleted\thello there\n.*\tassistant\tcompleted\thello there\n$/,
    )
    const events = JSON.parse(
      (await run("sessions", "get-events", "my-session", "--limit=2", "--include-raw", "--json")).stdout,
    ) as { events: unknown[]; hasMore: boolean }
    expect([events.events.length, events.hasMore]).toEqual([2, true])
    expect((await run("sessions", "get", "none")).code).toBe(4)
    expect((await run("sessions", "get", "my-session", "--token=wrong")).code).toBe(3)
    const update = ["sessions", "update", "my-session", "--title", "New"]
    expect((await run(...update)).stdout).toBe("updated my-session, in force now\n")
    expect(JSON.parse((await run(...update, "--json")).stdout)).toMatchObject({ session: { title: "New" } })
    expect((await run("sessions", "cancel", "my-session")).stdout).toBe("no turn runs in my-session\n")
    expect((await run("sessions", "fork", "my-session", "forked")).stdout).toMatch(/^forked into forked \(mock\) in /)
    expect((await run("sessions", "send-message", "my-session", "x")).stdout).toMatch(
      /^sent to my-session as msg_\w+\n$/,
    )
    expect((await run("sessions", "terminate", "forked")).stdout).toBe("ended forked\n")
    expect((await run("sessions", "resume", "forked")).stdout).toMatch(/^resumed forked \(mock\) in /)
    expect((await run("sessions", "delete", "forked")).stdout).toBe("deleted forked\n")
    expect((await run("sessions", "delete", "my-session")).stdout).toBe("deleted my-session\n")
    const log = readFileSync(daemonLog(data.path), "utf8").trimEnd().split("\n")
    const told = log.map((line) => JSON.parse(line) as { message: string; session?: string })
    expect(told[0]?.message).toBe("listening")
    const lives = told.flatMap(({ message, session }) => (session === "forked" ? [message] : []))
    expect(lives).toEqual(["created", "ended", "resumed", "ended", "deleted"].map((what) => `session ${what}`))
    expect(told.map(({ message }) => message)).toContain("process started")
    expect((await run("sessions", "list")).stdout).toBe("")
  })

  test("a permission and a question are answered from another command line", async () => {
    await using data = dataDir()
    await data.start()
    await cli(["sessions", "create", "s", "--agent", "mock"], data)
    const child = startCli(["sessions", "stream-message", "s", "/permission echo allowed\n/questions", "--json"], data)
    const reader = child.stdout.getReader()
    let seen = ""
    /** The id in the first event of a type. */
    const waitFor = async (type: string, id: string): Promise<string> => {
      for (;;) {
        const line = seen.split("\n").find((l) => l.includes(`"type":"${type}"`) && l.endsWith("}"))
        if (line) return (JSON.parse(line) as { data: Record<string, string> }).data[id] ?? ""
        const { done, value } = await reader.read()
        if (done) throw new Error(`no ${type} in ${seen}`)
        seen += new TextDecoder().decode(value)
      }
    }
    const permission = await waitFor("permission.requested", "permission_id")
    expect((await cli(["sessions", "get-pending", "s"], data)).stdout).toMatch(
      new RegExp(`^permissions\t${permission}\t`),
    )
    expect((await cli(["sessions", "reply-permission", "s", permission, "once"], data)).code).toBe(0)
    expect((await cli(["sessions", "reply-permission", "s", permission, "once"], data)).code).toBe(5)
    const question = await waitFor("question.requested", "question_id")
    expect(
      (await cli(["sessions", "reply-question", "s", question, "Small", "Cheese,Olives", "none"], data)).code,
    ).toBe(0)
    await waitFor("turn.ended", "stop_reason")
    expect(seen).toContain('[[\\"Small\\"],[\\"Cheese\\",\\"Olives\\"],[\\"none\\"]]')
    expect(await child.exited).toBe(0)
  })

  test("a stream goes on after the daemon was killed and started again", async () => {
    await using data = dataDir()
    const port = String(await keptPort())
    await data.start("--port", port)
    const token = await data.token()
    await cli(["sessions", "create", "s", "--agent", "mock"], data)
    await cli(["sessions", "stream-message", "s", "one"], data)
    const child = startCli(
      ["sessions", "stream-events", "s", "--json", "--endpoint", data.record().url, "--token", token],
      data,
    )
    const reader = child.stdout.getReader()
    let seen = ""
    const turns = async (count: number): Promise<void> => {
      while (seen.split('"type":"turn.ended"').length <= count) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`no ${count} turns in ${seen}`)
        seen += new TextDecoder().decode(value)
      }
    }
    await turns(1)
    const { pid } = data.record()
    process.kill(pid, "SIGKILL")
    while (processStartTime(pid) !== undefined) await Bun.sleep(10)
    expect((await cli(["daemon", "start", "--port", port, "--token", token], data)).code).toBe(0)
    await cli(["sessions", "stream-message", "s", "two"], data)
    await turns(2)
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
    const whole = seen.slice(0, seen.lastIndexOf("\n")).split("\n")
    expect(whole.map((line) => (JSON.parse(line) as { sequence: number }).sequence)).toEqual(whole.map((_, i) => i + 1))
  })
})
