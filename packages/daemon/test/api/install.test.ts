import { chmodSync, copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Session } from "@sandbox-agent/schema/session"
import { expect, test } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { sseEvents } from "../harness/sse.ts"

/** A vendor that has one version of Claude Code: a program that only tells its version. It answers when it is let. */
function openVendor(version: string) {
  const program = `#!/bin/sh\necho '${version} (Claude Code)'\n`
  const gate = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    async fetch({ url }) {
      const { pathname } = new URL(url)
      if (pathname.endsWith("/latest") || pathname.endsWith("/stable")) return new Response(version)
      if (!pathname.endsWith("/claude")) return new Response("no", { status: 404 })
      await gate.promise
      return new Response(program)
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, open: gate.resolve, [Symbol.dispose]: () => void server.stop(true) }
}

const withVendor = (url: string, path = "/usr/bin:/bin"): Promise<TestDaemon> =>
  startDaemon({
    flags: ["--install-source", "vendor"],
    // Nothing of this machine: no program on PATH but what a shell needs.
    env: { SANDBOX_AGENT_MIRROR_CLAUDE: url, PATH: path },
  })

test("an install is streamed: progress, then done; the list shows it at once", async () => {
  using vendor = openVendor("3.2.1")
  await using daemon = await withVendor(vendor.url)
  vendor.open()
  const response = await fetch(`${daemon.url}/v1/agents/claude/install`, {
    method: "POST",
    headers: { ...daemon.api.headers, accept: "text/event-stream" },
  })
  const events = []
  for await (const { data } of sseEvents(response)) events.push(JSON.parse(data))
  expect(events.slice(0, -1).every(({ type }) => type === "install.progress")).toBe(true)
  expect(events.at(-1)).toMatchObject({ type: "install.done", installed: true, version: "3.2.1" })
  expect(await daemon.api.ok("GET", "/v1/agents/claude")).toMatchObject({ installed: true, source: "managed" })
})

test("a failed install is a typed error that says what was tried, on the stream and without", async () => {
  await using offline = await withVendor("http://127.0.0.1:1")
  const refused = await offline.api.call<{ type: string; detail: string }>("POST", "/v1/agents/claude/install", {})
  expect(refused).toMatchObject({ status: 500, body: { type: "urn:sandbox-agent:error:install_failed" } })
  expect(refused.body.detail).toContain("vendor")
  const streamed = await fetch(`${offline.url}/v1/agents/claude/install`, {
    method: "POST",
    headers: { ...offline.api.headers, accept: "text/event-stream" },
  })
  const events = []
  for await (const { data } of sseEvents(streamed)) events.push(JSON.parse(data))
  expect(events.at(-1)).toMatchObject({ type: "error", problem: "urn:sandbox-agent:error:install_failed" })
})

test("a session is `installing` until its agent is there; a failed install leaves none", async () => {
  using vendor = openVendor("3.2.1")
  await using daemon = await withVendor(vendor.url)
  const created = daemon.api.call<{ healthy: boolean; session: Session }>("POST", "/v1/sessions/early", {
    agent: "claude",
  })
  const seen = await waitForStatus(daemon, "early", "installing")
  expect(seen.agent).toBe("claude")
  vendor.open()
  // This program speaks no protocol: the session stands, unhealthy, with the version it got.
  expect(await created).toMatchObject({ status: 201, body: { healthy: false, session: { agentVersion: "3.2.1" } } })
  const events = await daemon.api.events("early")
  const told = events.flatMap(({ type, data }) =>
    type === "session.updated" && data.status !== undefined
      ? data.status
      : type === "item.completed" && data.item.kind === "status"
        ? data.item.content.map((part) => (part.type === "status" ? `${part.label} ${part.detail}` : ""))
        : [],
  )
  expect(told[0]).toBe("installing")
  const [download = "", ...others] = told.filter((text) => text.startsWith("claude.install download"))
  expect([download, others]).toEqual([expect.stringContaining("(vendor)"), []])
  expect(told.indexOf(download)).toBeLessThan(told.indexOf("starting"))
  await using offline = await withVendor("http://127.0.0.1:1")
  const refused = await offline.api.call("POST", "/v1/sessions/never", { agent: "claude" })
  expect(refused).toMatchObject({ status: 500, body: { type: "urn:sandbox-agent:error:install_failed" } })
  expect((await offline.api.call("GET", "/v1/sessions/never")).status).toBe(404)
})

async function waitForStatus(daemon: TestDaemon, id: string, status: string): Promise<Session> {
  for (;;) {
    const { sessions } = await daemon.api.ok<{ sessions: Session[] }>("GET", `/v1/sessions?status=${status}`)
    const found = sessions.find((session) => session.id === id)
    if (found !== undefined) return found
    await Bun.sleep(20)
  }
}

test("a program on PATH that turns out to be none is no reason to fail: the agent is installed", async () => {
  using vendor = openVendor("3.2.1")
  const folder = scratch()
  // No script: it is started before it has told a version, which it never does.
  copyFileSync("/bin/false", join(folder, "claude"))
  await using daemon = await withVendor(vendor.url, `${folder}:/usr/bin:/bin`)
  const created = daemon.api.call<{ session: Session }>("POST", "/v1/sessions/late", { agent: "claude" })
  await waitForStatus(daemon, "late", "installing")
  vendor.open()
  expect((await created).body.session).toMatchObject({ agentVersion: "3.2.1", status: "idle" })
  const statuses = (await daemon.api.events("late")).flatMap(({ type, data }) =>
    type === "session.updated" && data.status ? [data.status] : [],
  )
  expect(statuses).toEqual(["installing", "starting", "idle"])
})

test("a program on PATH is used as it is, and nothing is downloaded", async () => {
  const directory = scratch()
  writeFileSync(join(directory, "claude"), "#!/bin/sh\necho '1.1.1 (Claude Code)'\n")
  chmodSync(join(directory, "claude"), 0o755)
  await using daemon = await startDaemon({
    env: { PATH: `${directory}:/usr/bin:/bin`, SANDBOX_AGENT_MIRROR_CLAUDE: "http://127.0.0.1:1" },
  })
  // A list does not wait for a program that is slow to tell its version.
  await expect.poll(() => daemon.api.ok("GET", "/v1/agents/claude")).toMatchObject({ version: "1.1.1", source: "path" })
  const created = await daemon.api.call("POST", "/v1/sessions/on-path", { agent: "claude" })
  expect(created).toMatchObject({ status: 201, body: { healthy: false, session: { agentVersion: "1.1.1" } } })
})

test("a configured program has one version: a session that asks for another is refused, and none is left", async () => {
  const path = join(scratch(), "claude")
  writeFileSync(path, "#!/bin/sh\necho '2.1.0 (Claude Code)'\n", { mode: 0o755 })
  await using daemon = await startDaemon({ flags: ["--agent-path", `claude=${path}`] })
  const created = await daemon.api.call("POST", "/v1/sessions/pinned", { agent: "claude", agentVersion: "9.9.9" })
  expect(created).toMatchObject({ status: 501, body: { option: "agentVersion" } })
  expect((await daemon.api.call("GET", "/v1/sessions/pinned")).status).toBe(404)
})
