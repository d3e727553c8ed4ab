import { execSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type CheckedDaemon, startChecked } from "../api/checked-api.ts"
import { keptDirectory } from "../durability/database.ts"
import { startDaemon } from "../harness/daemon.ts"
import { inShell } from "../rights/agent-shell.ts"
import { gone, until } from "../supervisor/processes.ts"
import type { Info } from "./client.ts"
import { TestViewer } from "./viewer.ts"

// Screens take time to be read, on a busy machine more of it.
vi.setConfig({ testTimeout: 300_000 })

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

type Terminal = Info & { cols: number; rows: number; viewers: number; title?: string; tty: boolean }
const plain = { PS1: "$ ", ENV: "" }
const open = (body: object = {}) => daemon.api.ok<Terminal>("POST", "/v1/terminals", { env: plain, ...body })
const get = (id: string) => daemon.api.ok<Terminal>("GET", `/v1/terminals/${id}`)

describe("a terminal", () => {
  test("is listed, tells its size, its title and its viewers", async () => {
    const { id, tty } = await open({ cols: 90, rows: 20 })
    expect(tty).toBe(true)
    using viewer = new TestViewer(daemon, id)
    await viewer.opened
    viewer.type("stty size; echo $TERM; printf '\\033]2;my title\\007'; echo over\r")
    await viewer.shows(/^20 90\nxterm-256color\n[\s\S]*over$/m)
    expect(await get(id)).toMatchObject({ cols: 90, rows: 20, title: "my title", viewers: 1, status: "running" })
    const pipes = await daemon.api.ok<Info>("POST", "/v1/processes", { command: "true" })
    const { terminals } = await daemon.api.ok<{ terminals: Terminal[] }>("GET", "/v1/terminals")
    expect(terminals.map((one) => one.id)).toContain(id)
    expect(terminals.map((one) => one.id)).not.toContain(pipes.id)
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/ticket"],
      ["DELETE", ""],
    ] as const)
      expect((await daemon.api.call(method, `/v1/terminals/${pipes.id}${path}`)).status).toBe(409)
    expect((await daemon.api.call("DELETE", `/v1/terminals/${id}`)).status).toBe(204)
    expect((await daemon.api.call("GET", `/v1/terminals/${id}`)).status).toBe(404)
    expect(await viewer.closed).toBe(1000)
  })

  test.each([
    ["the one that the daemon was told", "/usr/bin/env", "/usr/bin/env"],
    ["where it was told none, that of its user", "", String(execSync("getent passwd $(id -u) | cut -d: -f7")).trim()],
  ])("has the shell of the user: %s", async (_, SHELL, shell) => {
    await using daemon = await startDaemon({ env: { SHELL } })
    expect((await daemon.api.ok<Terminal>("POST", "/v1/terminals", {})).command).toBe(shell)
  })

  test("is attached to without a fault where pages of other origins may call", async () => {
    await using daemon = await startDaemon({ flags: ["--cors-allow-origin", "http://pages.example"] })
    const { id } = await daemon.api.ok<Terminal>("POST", "/v1/terminals", { command: "cat" })
    using viewer = new TestViewer(daemon, id)
    await viewer.opened
    viewer.type("hello\r")
    await viewer.shows(/hello/)
    expect(daemon.stderr()).not.toContain("Error")
  })

  test("is seen and typed into by several at once; the last one to say its size is right", async () => {
    const { id } = await open({ command: "sh" })
    using one = new TestViewer(daemon, id)
    using two = new TestViewer(daemon, id)
    await Promise.all([one.opened, two.opened])
    one.type("echo from-$((0+1))\r")
    await two.shows(/from-1/)
    two.send(Buffer.from("echo from-$((1+1))\r"))
    await one.shows(/from-2/)
    two.resize(60, 15)
    await one.until(() => one.frame("resize") !== undefined)
    expect(one.frame("resize")).toEqual({ type: "resize", cols: 60, rows: 15 })
    one.type("stty size\r")
    await one.shows(/15 60/)
    expect(await daemon.api.ok("POST", `/v1/terminals/${id}/resize`, { cols: 70, rows: 16 })).toEqual({
      cols: 70,
      rows: 16,
    })
    two.send({ type: "input", data: Buffer.from("stty size\r").toString("base64"), encoding: "base64" })
    await two.shows(/16 70/)
    one.type("exit 7\r")
    await Promise.all([one.closed, two.closed])
    for (const viewer of [one, two]) expect(viewer.frame("exit")).toEqual({ type: "exit", exitCode: 7, signal: null })
    expect(await get(id)).toMatchObject({ status: "exited", exitCode: 7, cols: 70, rows: 16 })
    // Who comes now sees what was there at the end.
    using late = new TestViewer(daemon, id)
    await late.closed
    await late.shows(/16 70/)
    expect(late.frame("exit")).toMatchObject({ exitCode: 7 })
    expect((await daemon.api.call("POST", `/v1/terminals/${id}/resize`, { cols: 1, rows: 1 })).status).toBe(409)
  })

  // What the kernel takes at once, and what it does not: the next letter has to come after either.
  test.each([1, 4_095, 4_096, 8_192, 12_000, 65_536, 200_000])(
    "takes a paste of %d bytes, and what is typed after it",
    async (bytes) => {
      const { id } = await open({ shell: `stty -icanon -echo; echo ready; head -c ${3 * bytes + 1} | wc -c; exec cat` })
      using viewer = new TestViewer(daemon, id)
      await viewer.opened
      await viewer.shows(/ready/)
      for (let i = 0; i < 3; i++) viewer.type("x".repeat(bytes))
      viewer.type("y")
      await viewer.shows(new RegExp(`^ *${3 * bytes + 1}$`, "m"))
      await daemon.api.call("DELETE", `/v1/terminals/${id}`)
    },
  )

  test("that has ended tells how, also where its last screen cannot be read", async () => {
    const { id } = await open({ shell: "exit 7" })
    await daemon.api.ok("GET", `/v1/processes/${id}/wait`)
    const screen = join(daemon.dataDir, "processes", id, "screen")
    rmSync(screen)
    mkdirSync(screen)
    using late = new TestViewer(daemon, id)
    await late.closed
    expect(late.frame("error")?.message).toContain("cannot be read")
    expect(late.frame("exit")).toMatchObject({ exitCode: 7 })
  })

  test("answers its program once, however many look", async () => {
    // Asks where the cursor is, and what the terminal is, and shows what it is told.
    const program = `process.stdin.setRawMode(true); process.stdin.once("data", () => {
      process.stdin.on("data", (told) => process.stdout.write(String(told).replaceAll("\\x1b", "E")))
      process.stdout.write("\\x1b[6n\\x1b[c")
    })`
    const { id } = await open({ command: process.execPath, args: ["-e", program] })
    using one = new TestViewer(daemon, id)
    using two = new TestViewer(daemon, id)
    await Promise.all([one.until(() => one.bytes > 0), two.until(() => two.bytes > 0)])
    one.type("\r")
    await one.shows(/E\[\d+;\d+RE\[\?1;2c/)
    // A key that looks like an answer to nothing that was asked is a key.
    one.type("\x1b[1;2R")
    one.type("end")
    await one.shows(/end/)
    expect(one.text().match(/E\[\?1;2c/g)).toHaveLength(1)
    expect(one.text()).toMatch(/E\[\?1;2cE\[1;2Rend/)
  })

  test("refuses frames that mean nothing, and goes on", async () => {
    const { id } = await open({ command: "cat" })
    using viewer = new TestViewer(daemon, id)
    await viewer.opened
    for (const frame of [
      { type: "dance" },
      { type: "input" },
      { type: "resize", cols: 0, rows: 1 },
      { type: "input", data: "%", encoding: "base64" },
    ])
      viewer.send(frame)
    viewer.send({ type: "input", data: "x", encoding: "rot13" })
    await viewer.until(() => viewer.frames.filter(({ type }) => type === "error").length === 5)
    viewer.type("still here\r")
    await viewer.shows(/still here/)
  })
})

describe("who may look", () => {
  test("is asked for the token: by header, by subprotocol that is not said back, or by a ticket that is good once", async () => {
    const { id } = await open({ command: "cat" })
    const ticket = () => daemon.api.ok<{ ticket: string }>("POST", `/v1/terminals/${id}/ticket`)
    using byProtocol = new TestViewer(daemon, id)
    await byProtocol.opened
    expect(byProtocol.protocol).toBe("terminal")
    const { ticket: first } = await ticket()
    using byTicket = new TestViewer(daemon, id, { query: `?ticket=${first}` })
    await byTicket.opened
    const other = await open({ command: "cat" })
    const { ticket: second } = await ticket()
    for (const [of, options] of [
      [id, { query: `?ticket=${first}` }],
      [other.id, { query: `?ticket=${second}` }],
      [id, { query: "?ticket=guess" }],
      [id, { query: "" }],
      [id, { protocols: ["sandboxagent.token.d3Jvbmc"] }],
      // The token in an address: on the path of the public client alone.
      [id, { query: `?access_token=${daemon.token}` }],
      [id, { query: "?access_token=wrong", path: `/v1/processes/${id}/terminal/ws` }],
    ] as const)
      await expect(new TestViewer(daemon, of, options).opened, JSON.stringify(options)).rejects.toThrow()
    using inAddress = new TestViewer(daemon, id, {
      query: `?access_token=${daemon.token}`,
      path: `/v1/processes/${id}/terminal/ws`,
    })
    await inAddress.opened
  })

  test("off loopback takes no token in an address, unless the daemon says so", async () => {
    for (const [flags, taken] of [
      [["--host", "0.0.0.0"], false],
      [["--host", "0.0.0.0", "--allow-url-token"], true],
    ] as const) {
      await using wide = await startDaemon({ flags: [...flags] })
      const { id } = await wide.api.ok<Info>("POST", "/v1/terminals", { command: "cat" })
      const path = `/v1/processes/${id}/terminal/ws?access_token=${wide.token}`
      const viewer = new TestViewer(wide, id, { query: "", path })
      if (taken) await viewer.opened
      else await expect(viewer.opened).rejects.toThrow()
      viewer.close()
      expect(wide.stdout() + wide.stderr()).not.toContain(wide.token)
    }
  })

  test("is no process of an agent", async () => {
    await daemon.api.create("spy", { permissionMode: "bypass" })
    const { url, token } = daemon
    const words = `curl -s -H 'authorization: Bearer ${token}' -H 'content-type: application/json'`
    const tried = await inShell(daemon, "spy", `${words} -d '{}' ${url}/v1/terminals`)
    expect(JSON.parse(tried)).toMatchObject({ status: 403 })
    const { id } = await open({ command: "cat" })
    const upgrade =
      "-H 'connection: upgrade' -H 'upgrade: websocket' -H 'sec-websocket-version: 13' -H 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='"
    const looked = await inShell(daemon, "spy", `${words} ${upgrade} ${url}/v1/terminals/${id}/ws`)
    expect(JSON.parse(looked)).toMatchObject({ status: 403 })
  })
})

describe("a viewer", () => {
  /** A WebSocket whose client reads nothing after the answer to its handshake. */
  async function stalledViewer(id: string) {
    const { hostname, port } = new URL(daemon.url)
    const socket = connect(Number(port), hostname)
    const headers = [
      `GET /v1/terminals/${id}/ws HTTP/1.1`,
      ...[`Host: ${hostname}:${port}`, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
      ...["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", `Authorization: Bearer ${daemon.token}`],
    ]
    socket.write(`${headers.join("\r\n")}\r\n\r\n`)
    await new Promise((resolve) => socket.once("data", resolve))
    socket.pause()
    return { socket, [Symbol.dispose]: () => void socket.destroy() }
  }
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, "utf8"))?.[1]) * 1024

  test("of `yes` that takes nothing makes nothing grow and slows nobody: another one gets on, and the daemon answers", async () => {
    const { id } = await open({ command: "yes" })
    using _stalled = await stalledViewer(id)
    using viewer = new TestViewer(daemon, id, { blind: true })
    await viewer.until(() => viewer.bytes > 1_000_000)
    const before = rss()
    const from = viewer.bytes
    await viewer.until(() => viewer.bytes > from + 3_000_000)
    expect(rss() - before).toBeLessThan(40 * 1024 * 1024)
    expect(await daemon.api.ok("GET", "/v1/health")).toMatchObject({ status: "ok" })
    expect(await get(id)).toMatchObject({ viewers: 2, status: "running" })
    await daemon.api.call("DELETE", `/v1/terminals/${id}`)
  })

  test("that takes what it is given gets all of it, and never a screen in place of output", async () => {
    const lines = 400_000
    const { id } = await open({ shell: `read go; seq 1 ${lines}; echo over; read end`, rows: 5 })
    using viewer = new TestViewer(daemon, id, { blind: true })
    await viewer.until(() => viewer.bytes > 0)
    viewer.type("\r")
    await viewer.shows(/over/)
    // It was sent whole: none of it as a screen in place of what was missed.
    expect(viewer.frames.some(({ type }) => type === "resync")).toBe(false)
    expect(viewer.bytes).toBeGreaterThan(String(lines).length * lines)
    expect(viewer.text()).toMatch(new RegExp(`${lines - 1}\\n${lines}\\nover`))
    await daemon.api.call("DELETE", `/v1/terminals/${id}`)
  })

  test("that took nothing is given the screen as it is then, when it takes something again", async () => {
    const { id } = await open({
      shell: "read go; head -c 8000000 /dev/zero | tr '\\0' x; echo; echo the-end; read end",
      cols: 80,
      rows: 24,
    })
    using stalled = await stalledViewer(id)
    using viewer = new TestViewer(daemon, id, { blind: true })
    await viewer.until(() => viewer.bytes > 0)
    viewer.type("\r")
    await viewer.shows(/the-end/)
    const taken: Buffer[] = []
    stalled.socket.on("data", (bytes: Buffer) => void taken.push(bytes))
    stalled.socket.resume()
    const seen = () => Buffer.concat(taken).toString("latin1")
    await until(() => /"resync"[\s\S]*the-end/.test(seen()), "the screen of who comes back")
    expect(seen().length).toBeLessThan(8_000_000)
    await daemon.api.call("DELETE", `/v1/terminals/${id}`)
  })
})

test("terminals end with a daemon that is killed, with all that ran in them", async () => {
  const dataDir = keptDirectory()
  await using first = await startDaemon({ dataDir })
  const { id, pid = 0 } = await first.api.ok<Info>("POST", "/v1/terminals", { command: "bash", env: plain })
  using viewer = new TestViewer(first, id)
  await viewer.opened
  viewer.type("sleep 1000 & setsid sleep 1001 & jobs -p; echo pids-$((1+1))\r")
  await viewer.shows(/pids-2/)
  const pids = [...viewer.text().matchAll(/^(\d{2,})$/gm)].map(([, text]) => Number(text))
  expect(pids.length).toBeGreaterThan(0)
  first.kill("SIGKILL")
  await first.exited
  for (const one of [pid, ...pids]) await gone(one)
  await using next = await startDaemon({ dataDir })
  expect(await next.api.ok("GET", `/v1/terminals/${id}`)).toMatchObject({ status: "exited", reason: "daemon_killed" })
  using late = new TestViewer(next, id)
  await late.closed
  expect(late.frame("exit")).toBeDefined()
})
