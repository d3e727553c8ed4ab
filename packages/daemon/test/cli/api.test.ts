import { readFileSync } from "node:fs"
import { join } from "node:path"
import { routes } from "@sandbox-agent/schema/contract/contract"
import { errorCodes, errors } from "@sandbox-agent/schema/error"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { describe, expect, test } from "vitest"
import { bodyFields, pathParameters, requiredQuery } from "../../src/cli/api-commands.ts"
import { writeDaemonFile } from "../../src/cli/daemon-file.ts"
import { kebabCase } from "../../src/cli/flag.ts"
import { processStartTime } from "../../src/cli/process-identity.ts"
import { openTokenSocket } from "../../src/cli/token-socket.ts"
import { event, fakeDaemon, problem, sse, sseText } from "./fake-daemon.ts"
import { cleanEnvironment, cli, startCli, temporaryFolder } from "./spawn.ts"
import { atTerminal } from "./terminal.ts"

const assistant = (text: string, item_id = "i1") => ({
  item: { item_id, kind: "message", role: "assistant", status: "completed", content: [{ type: "text", text }] },
})
const delta = (text: string) => ({ item_id: "i1", delta: text, part: { index: 0, type: "text" } })

/** How streams end that have an end of their own. */
const ends: Partial<Record<string, string>> = {
  installAgent: 'data: {"type":"install.done","installed":true}\n\n',
  searchFs: 'data: {"type":"done","matches":0,"files":0,"truncated":false}\n\n',
  streamMessage: sseText([
    event("turn.ended", { phase: "ended", turn_id: "t", message_ids: ["m"], stop_reason: "end_turn" }),
  ]),
}

describe("requests", () => {
  // One after the other: all of them at once take more memory and time than a small machine has for one test.
  test.each(routes.map((route) => [route.cli.join(" "), route] as const))(
    "%s calls its route with its method, path and body",
    async (_, route) => {
      await using daemon = fakeDaemon((r) =>
        r.headers.get("accept") === "text/event-stream" ? sse(ends[route.id] ?? "") : Response.json({ ok: true }),
      )
      const { fields, required } = bodyFields(route)
      const value = (field: string) =>
        fields[field]?.type === "integer"
          ? "1"
          : ["answers", "items", "sources"].includes(field)
            ? "[[]]"
            : (fields[field]?.enum?.[0] ?? "x")
      const needed = required.map((field) => `--${kebabCase(field)}=${value(field)}`)
      const asked = requiredQuery(route).map((field) => `--${kebabCase(field)}=x`)
      const sent = route.bodyBytes === undefined ? [] : ["--input", join(import.meta.dirname, "../../package.json")]
      const words = [...route.cli, ...pathParameters(route), ...needed, ...asked, ...sent]
      const { code, stderr } = await cli([...words, "--endpoint", daemon.url, "--json", "--token=t"])
      expect([code, stderr]).toEqual([0, ""])
      const served = new Set(daemon.seen.map((s) => `${s.method} ${s.path.split("?")[0]}`))
      expect([...served]).toEqual([`${route.method} ${route.path.replaceAll(/[{}]/g, "")}`])
      for (const one of daemon.seen) expect(one.headers.get("authorization")).toBe("Bearer t")
    },
  )

  test("endpoint and token come from the environment, and `api` may stand in front", async () => {
    await using daemon = fakeDaemon(() => Response.json({ sessions: [] }))
    const env = { SANDBOX_AGENT_URL: `${daemon.url}/`, SANDBOX_AGENT_TOKEN: "from-env" }
    expect((await cli(["api", "sessions", "list", "--limit", "3"], { env })).code).toBe(0)
    expect((await cli(["sessions", "list", "--token", "from-flag"], { env })).code).toBe(0)
    expect(daemon.seen.map((s) => s.path)).toEqual(["/v1/sessions?limit=3", "/v1/sessions"])
    expect(daemon.seen.map((s) => s.headers.get("authorization"))).toEqual(["Bearer from-env", "Bearer from-flag"])
  })

  test("the daemon of the data directory is found, and its token goes to nobody else", async () => {
    using folder = temporaryFolder()
    await using daemon = fakeDaemon(() => Response.json({ sessions: [] }))
    await using other = fakeDaemon(() => Response.json({ sessions: [] }))
    const record = {
      pid: process.pid,
      startTime: processStartTime(process.pid) ?? "",
      url: daemon.url,
      tokenNeeded: true,
      version: "0",
    }
    const env = { SANDBOX_AGENT_DATA_DIR: folder.path }
    const close = openTokenSocket({
      dataDir: folder.path,
      token: "local",
      agentProcess: () => undefined,
      log: () => {},
    })
    writeDaemonFile(folder.path, record)
    await cli(["sessions", "list"], { env })
    await cli(["sessions", "list", "--endpoint", daemon.url], { env })
    await cli(["sessions", "list", "--endpoint", other.url], { env })
    expect(daemon.seen.map((s) => s.headers.get("authorization"))).toEqual(["Bearer local", "Bearer local"])
    expect(other.seen.map((s) => s.headers.get("authorization"))).toEqual([null])
    writeDaemonFile(folder.path, { ...record, startTime: "1" })
    await cli(["sessions", "list", "--endpoint", daemon.url], { env })
    expect(daemon.seen.at(-1)?.headers.get("authorization")).toBeNull()
    close()
    writeDaemonFile(folder.path, record)
    const without = await cli(["sessions", "list"], { env })
    expect([without.code, without.stderr]).toEqual([9, expect.stringContaining("does not tell its token")])
  })
})

describe("answers", () => {
  test("lists are rows with tabs in a pipe, objects are keys, --json is what was answered", async () => {
    const session = { id: "s", agent: "mock", status: "idle", updatedAt: "now", title: "a\tb\nc" }
    await using daemon = fakeDaemon((r) =>
      Response.json(r.path === "/v1/sessions" ? { sessions: [session] } : { ...session, pending: { permissions: 1 } }),
    )
    const at = ["--endpoint", daemon.url]
    expect((await cli(["sessions", "list", ...at])).stdout).toBe("s\tmock\tidle\tnow\ta\\tb\\nc\t\n")
    expect((await cli(["sessions", "get", "s", ...at])).stdout).toContain("pending.permissions: 1\n")
    expect(JSON.parse((await cli(["sessions", "list", ...at, "--json"])).stdout)).toEqual({ sessions: [session] })
  })

  test("bytes go to stdout or to a file, all of them", async () => {
    using folder = temporaryFolder()
    const bytes = crypto.getRandomValues(new Uint8Array(60_000))
    const large = Buffer.concat(Array.from({ length: 50 }, () => bytes))
    await using daemon = fakeDaemon(() => new Response(large, { headers: { "content-type": "image/png" } }))
    const args = ["sessions", "get-blob", "s", "h", "--endpoint", daemon.url]
    const child = startCli(args)
    expect(Buffer.from(await new Response(child.stdout).arrayBuffer()).equals(large)).toBe(true)
    const file = join(folder.path, "blob")
    expect((await cli([...args, "--output", file])).code).toBe(0)
    expect(readFileSync(file).equals(large)).toBe(true)
    expect((await cli([...args, "--output", join(folder.path, "no/such/folder")])).code).toBe(2)
  })

  test("a large answer arrives whole through a pipe", async () => {
    const text = JSON.stringify({ openapi: "3.1.0", filler: "x".repeat(3_000_000) })
    await using daemon = fakeDaemon(() => new Response(text))
    expect((await cli(["system", "openapi", "--json", "--endpoint", daemon.url])).stdout).toBe(`${text}\n`)
  })

  test("a session whose agent is not ready is told on stderr", async () => {
    const answer = { healthy: false, error: { code: "unavailable", message: "no credentials" }, session: { id: "s" } }
    await using daemon = fakeDaemon(() => Response.json(answer, { status: 201 }))
    const { code, stderr } = await cli(["sessions", "create", "s", "--agent=claude", "--endpoint", daemon.url])
    expect(code).toBe(0)
    expect(stderr).toContain("no credentials")
  })

  test("a reader that goes away ends the command without a word", async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => ({
      id: `s${i}`,
      agent: "mock",
      status: "idle",
      updatedAt: "x".repeat(100),
    }))
    await using daemon = fakeDaemon(() => Response.json({ sessions: many }))
    const shell = Bun.spawn(
      [
        "bash",
        "-c",
        `"$0" "$@" | head -n 1; echo "exit \${PIPESTATUS[0]}"`,
        ...daemonProgram(),
        "sessions",
        "list",
        "--endpoint",
        daemon.url,
      ],
      {
        env: { ...cleanEnvironment },
        stderr: "pipe",
      },
    )
    expect(await shell.stdout.text()).toMatch(/^s0\t.*\nexit 0\n$/)
    expect(await shell.stderr.text()).toBe("")
  })
})

describe("errors", () => {
  test.each(errorCodes)("%s gives its exit code", async (code) => {
    await using daemon = fakeDaemon(() => problem(code, "what went wrong", { hint: "what to do" }))
    const plain = await cli(["sessions", "get", "s", "--endpoint", daemon.url])
    expect(plain.code).toBe(errors[code].exit)
    const title = code === "internal" ? "Internal error: " : ""
    expect(plain.stderr).toMatch(
      new RegExp(`^error: ${title}what went wrong( \\(${daemon.url}\\))?\nhint: what to do\n$`),
    )
    const json = await cli(["sessions", "get", "s", "--endpoint", daemon.url, "--json"])
    expect(json.code).toBe(errors[code].exit)
    expect(JSON.parse(json.stderr)).toMatchObject({ status: errors[code].status, detail: "what went wrong" })
    expect(json.stdout).toBe("")
  })

  test("nobody answers", async () => {
    // No port that was free a moment ago: another process may have it by now.
    const { code, stderr } = await cli(["sessions", "list", "--endpoint", "http://127.0.0.1:1"])
    expect(code).toBe(9)
    expect(stderr).toContain("is the daemon running? start it with `sandbox-agent daemon start`")
  })

  test("an answer of something else is told as that", async () => {
    await using daemon = fakeDaemon(() => new Response("<html>bad gateway</html>", { status: 502 }))
    const { code, stderr } = await cli(["sessions", "list", "--endpoint", daemon.url])
    expect(code).toBe(errors.stream_error.exit)
    expect(stderr).toContain("HTTP 502")
  })

  test.each([[["sessions", "get", "s"]], [["sessions", "stream-events", "s"]]])(
    "a stranger who says yes to %j",
    async (args) => {
      await using daemon = fakeDaemon(
        () => new Response("<html>welcome</html>", { headers: { "content-type": "text/html" } }),
      )
      const { code, stderr, stdout } = await cli([...args, "--endpoint", daemon.url])
      expect([code, stdout]).toEqual([errors.stream_error.exit, ""])
      expect(stderr).toContain("is this the address of a sandbox-agent daemon?")
    },
  )

  test("a redirect is not followed with the token", async () => {
    await using other = fakeDaemon(() => Response.json({ sessions: [] }))
    await using daemon = fakeDaemon(() => Response.redirect(`${other.url}/v1/sessions`, 307))
    expect((await cli(["sessions", "list", "--token=t", "--endpoint", daemon.url])).code).not.toBe(0)
    expect(other.seen).toEqual([])
  })

  test.each([
    [["sesions", "list"], "did you mean `sessions`"],
    [["sessions", "lst"], "did you mean `sessions list`"],
    [["sessions", "get"], "missing <id>"],
    [["sessions", "list", "--limt=3"], "did you mean `--limit`"],
    [["sessions", "list", "--endpoint", "nowhere"], "not an http or https URL"],
    [["sessions"], "sessions get-items <id>"],
  ])("usage: %j", async (args, part) => {
    const { code, stderr, stdout } = await cli(args)
    expect(code).toBe(2)
    expect(stderr).toContain(part)
    expect(stdout).toBe("")
  })
})

describe("an install at a terminal", () => {
  const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
  const progress = frame({ type: "install.progress", phase: "download", bytes: 5, total: 10 })

  test("shows how far it is, then the result", async () => {
    await using daemon = fakeDaemon(() =>
      sse(progress + frame({ type: "install.done", installed: true, version: "1.2" })),
    )
    const { code, screen } = await atTerminal([
      "agents",
      "install",
      "claude",
      "--version",
      "1.2",
      "--endpoint",
      daemon.url,
    ])
    expect(daemon.seen[0]?.body).toEqual({ version: "1.2" })
    expect(code).toBe(0)
    expect(screen).toContain("download [")
    expect(screen).toContain("50%")
    expect(screen).toContain("claude 1.2 installed")
  })

  test("or the error, with its exit code", async () => {
    await using daemon = fakeDaemon(() =>
      sse(progress + frame({ type: "error", problem: "urn:sandbox-agent:error:install_failed", detail: "no network" })),
    )
    const { code, screen } = await atTerminal(["agents", "install", "claude", "--endpoint", daemon.url])
    expect(code).toBe(errors.install_failed.exit)
    expect(screen).toContain("no network")
  })

  test("a stream without an end is an error", async () => {
    await using daemon = fakeDaemon(() => sse(progress))
    const { code } = await atTerminal(["agents", "install", "claude", "--endpoint", daemon.url])
    expect(code).toBe(errors.stream_error.exit)
  })
})

describe("streams", () => {
  const events = [
    event("turn.started", { phase: "started", turn_id: "t", origin: "message", message_ids: ["m"] }, 1),
    event("item.delta", delta("Hel"), 2),
    event("item.delta", delta("lo"), 3),
    event("item.completed", assistant("Hello"), 4),
    event("turn.ended", { phase: "ended", turn_id: "t", message_ids: ["m"], stop_reason: "end_turn" }, 5),
  ]

  test("a transcript, or one event per line with --json", async () => {
    await using daemon = fakeDaemon(() => sse(`: hello\n\n${sseText(events)}`))
    const args = ["sessions", "stream-message", "s", "hi", "--endpoint", daemon.url]
    expect((await cli(args)).stdout).toBe("Hello\n[turn ended] end_turn\n")
    const { stdout } = await cli([...args, "--json"])
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(events)
    expect(daemon.seen[0]?.headers.get("accept")).toBe("text/event-stream")
    expect(daemon.seen[0]?.body).toEqual({ message: "hi" })
  })

  test("Ctrl-C ends it with 130", async () => {
    await using daemon = fakeDaemon(() =>
      sse(new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode(sseText(events))) })),
    )
    const child = startCli(["sessions", "stream-events", "s", "--json", "--endpoint", daemon.url])
    const reader = child.stdout.getReader()
    await reader.read()
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
  })

  test("events of all sessions are one line each", async () => {
    const one = {
      event_id: "g1",
      sequence: 1,
      time: "now",
      session_id: "s",
      type: "session.status",
      data: { status: "idle" },
    }
    await using daemon = fakeDaemon(() => sse(`id: 1\ndata: ${JSON.stringify(one)}\n\n`))
    expect((await cli(["system", "events", "--endpoint", daemon.url])).stdout).toBe(
      'now\tsession.status\ts {"status":"idle"}\n',
    )
  })
})
