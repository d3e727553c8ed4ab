import { existsSync } from "node:fs"
import { join } from "node:path"
import { installLimits } from "@sandbox-agent/schema/install-limits"
import { describe, expect, test } from "vitest"
import { scratch, startDaemon } from "../../harness/daemon.ts"
import { type Other, writeOther } from "./other-program.ts"

/** A daemon whose OpenCode is another: by the configuration, or on PATH. */
async function daemonWith(other: Other, how: "config" | "path" = "config") {
  const home = scratch()
  const path = writeOther(home, other)
  const env = { HOME: home, XDG_DATA_HOME: "", XDG_CONFIG_HOME: "" }
  const onPath = { ...env, PATH: `${home}:/usr/bin:/bin` }
  const daemon = await startDaemon(
    how === "path" ? { env: onPath } : { env, flags: ["--agent-path", `opencode=${path}`] },
  )
  const served = () => existsSync(join(home, "served"))
  return { daemon, path, served, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
}

type Made = { healthy: boolean; error?: { code: string; message: string; hint: string } }
const create = ({ daemon }: Awaited<ReturnType<typeof daemonWith>>) =>
  daemon.api.ok<Made>("POST", "/v1/sessions/one", { agent: "opencode" })

const named = /opencode 2\.0\.3 is not supported: .* from 1\.0\.0 and below 2\.0\.0, and is tested with 1\.18\.18/

describe("OpenCode 2", () => {
  test.each([
    ["config", "name another program"],
    ["path", "`sandbox-agent install-agent opencode` installs a supported version beside it"],
  ] as const)("found by %s is told at once, and not started", async (how, hint) => {
    await using stage = await daemonWith({ version: "2.0.3" }, how)
    // A list does not wait long for a program that is slow to tell its version.
    await expect
      .poll(() => stage.daemon.api.ok("GET", "/v1/agents/opencode"))
      .toMatchObject({ installed: true, version: "2.0.3", path: stage.path, source: how })
    const { healthy, error } = await create(stage)
    expect([healthy, error?.code]).toEqual([false, "not_supported"])
    expect(error?.message).toMatch(named)
    expect(error?.hint).toContain(hint)
    expect(stage.served()).toBe(false)
    const models = await stage.daemon.api.call("GET", "/v1/agents/opencode/models")
    expect(models).toMatchObject({ status: 501, body: { detail: expect.stringMatching(named) } })
  })

  test("that has not told its version yet is told as soon as it has, whatever its server does", async () => {
    await using stage = await daemonWith({ version: "2.0.3", versionMs: installLimits.versionListMs + 500 })
    const { healthy, error } = await create(stage)
    expect([healthy, error?.code]).toEqual([false, "not_supported"])
    expect(error?.message).toMatch(named)
  })

  test("is known by the line of its server, too", async () => {
    await using stage = await daemonWith({ version: "1.18.18", line: "server listening on {url}" })
    const { error } = await create(stage)
    expect(error).toMatchObject({
      code: "not_supported",
      message: expect.stringContaining("below 2.0.0"),
    })
  })

  test("is not installed by its version", async () => {
    await using stage = await daemonWith({ version: "1.18.18" }, "path")
    const asked = { agent: "opencode", agentVersion: "2.0.3" }
    const refused = await stage.daemon.api.call("POST", "/v1/sessions/one", asked)
    expect(refused).toMatchObject({
      status: 501,
      body: { type: "urn:sandbox-agent:error:not_supported" },
    })
    expect(await stage.daemon.api.call("GET", "/v1/sessions/one")).toMatchObject({ status: 404 })
  })
})

describe("a server that does not give its events", () => {
  const line = "opencode server listening on {url}"
  test.each([
    [{ status: 401, body: "Unauthorized" }, "stream_error", "with 401 (text/plain): Unauthorized"],
    [{ status: 403 }, "stream_error", "with 403"],
    [{ status: 404 }, "not_supported", "with 404"],
    [{ type: "text/html", body: "<html>" }, "not_supported", "with 200 (text/html)"],
  ])("is told at once with what it answered: %o", async (answer, code, message) => {
    await using stage = await daemonWith({ version: "1.18.18", line, ...answer })
    const { healthy, error } = await create(stage)
    expect({ healthy, error }).toMatchObject({
      healthy: false,
      error: { code, message: expect.stringContaining(message) },
    })
  })
})
