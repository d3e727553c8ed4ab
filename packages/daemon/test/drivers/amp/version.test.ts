import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { installLimits } from "@sandbox-agent/schema/install-limits"
import { tested } from "@sandbox-agent/test-agents/amp"
import { expect, test } from "vitest"
import { scratch, startDaemon } from "../../harness/daemon.ts"

type Made = { healthy: boolean; error?: { code: string; message: string; hint: string } }

/** A daemon with an `amp` on PATH that tells this version, and else waits for ever without a word. */
async function daemonWith(version: string, versionMs = 0) {
  const home = scratch()
  const path = join(home, "amp")
  const tells = `sleep ${versionMs / 1_000}; echo '${version} (released 2026-09-23T05:55:11.000Z, 1mo ago)'; exit 0`
  writeFileSync(path, `#!/bin/sh\n[ "$1" = --version ] && { ${tells}; }\n: > '${home}/started'\nexec sleep 1000\n`)
  chmodSync(path, 0o755)
  const daemon = await startDaemon({ env: { HOME: home, PATH: `${home}:/usr/bin:/bin`, AMP_API_KEY: "dummy" } })
  return { daemon, path, started: () => existsSync(join(home, "started")) }
}

const others = [
  ["newer", "0.0.1790142911-g7618fb", 0],
  ["newer, and slow to tell it", "0.0.1790142911-g7618fb", installLimits.versionListMs + 500],
  ["older", "0.0.1777266064-g47b6f7", 0],
] as const

test.each(others)("one that is %s is told at once with what to do, and not started", async (_, version, versionMs) => {
  const { daemon, path, started } = await daemonWith(version, versionMs)
  await using _daemon = daemon
  const { healthy, error } = await daemon.api.ok<Made>("POST", "/v1/sessions/one", { agent: "amp" })
  expect([healthy, error?.code]).toEqual([false, "not_supported"])
  expect(error?.message).toContain(`amp ${version} is not supported`)
  expect(error?.message).toContain(`is tested with ${tested} (${path})`)
  const hint = "`sandbox-agent install-agent amp` installs a supported version beside it, which then is used."
  expect(error?.hint).toBe(`${path} is on PATH: ${hint}`)
  await daemon.api.send("one", "hello")
  const ended = await daemon.api.until("one", "turn.ended")
  const told = { code: "not_supported", message: expect.stringContaining("install-agent amp") }
  expect(ended.data).toMatchObject({ stop_reason: "error", error: told })
  expect(started()).toBe(false)
})
