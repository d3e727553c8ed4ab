import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Finding } from "../../src/cli/doctor/finding.ts"
import type { NpmPackage } from "../../src/install/entry.ts"
import { npmName } from "../../src/install/npm.ts"
import { detectPlatform } from "../../src/install/platform.ts"
import { installTable } from "../../src/registry/installable.ts"
import { startDaemon } from "../harness/daemon.ts"
import { openMirror, packageOf } from "./install-mirror.ts"
import { cli, type SpawnOptions, temporaryFolder } from "./spawn.ts"

interface Report {
  findings: Finding[]
  counts: Record<Finding["state"], number>
}

async function doctor(args: string[], options: SpawnOptions = {}) {
  const { code, stdout, stderr } = await cli(["doctor", "--json", ...args], options)
  expect(stderr).toBe("")
  const { findings, counts } = JSON.parse(stdout) as Report
  const of = (area: Finding["area"], name: string) => findings.find((one) => one.area === area && one.name === name)
  return { code, findings, counts, of }
}

const program = (folder: string, name: string, script: string): void => {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
}

test("of a machine that has all: where each thing was found, and exit code 0", async () => {
  using folder = temporaryFolder()
  using mirror = openMirror()
  const npm = [...installTable.values()].flatMap((entry) => entry.npm)[0]
  const agentPackage = npmName(npm as NpmPackage, detectPlatform())
  for (const [path, answer] of Object.entries(packageOf(agentPackage, "7.8.9", (at) => `${mirror.url}${at}`)))
    mirror.set(path, answer)
  const bin = join(folder.path, "bin")
  mkdirSync(bin)
  program(bin, "claude", 'echo "2.1.325 (Claude Code)"')
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef",
    ANTHROPIC_BASE_URL: mirror.url,
    AMP_API_KEY: "sgamp_user_0123456789abcdef",
    AMP_URL: mirror.url,
    npm_config_registry: `${mirror.url}/npm/`,
    HTTPS_PROXY: "",
    HTTP_PROXY: "http://me:secret@proxy.example:3128",
    NO_PROXY: "127.0.0.1",
    SANDBOX_AGENT_PORT: "0",
  }
  const { code, counts, of, findings } = await doctor(["--data-dir", join(folder.path, "data")], { env })
  expect(of("agents", "claude")).toMatchObject({ state: "ok", detail: `2.1.325, ${join(bin, "claude")} (path)` })
  expect(of("agents", "claude login")).toMatchObject({
    state: "ok",
    detail: "anthropic api_key from ANTHROPIC_API_KEY",
  })
  expect(of("agents", "mock")).toMatchObject({ state: "ok", detail: "part of this program" })
  expect(of("agents", "codex")?.detail).toBe("not installed; its first session installs it")
  expect(of("agents", "codex login")).toMatchObject({
    state: "warning",
    detail: expect.stringMatching(/^none: OPENAI_API_KEY and CODEX_API_KEY are not set, /),
    hint: expect.stringContaining("OPENAI_API_KEY"),
  })
  for (const provider of ["anthropic", "amp"])
    expect(of("network", provider)).toMatchObject({ state: "ok", detail: expect.stringContaining("answers (404") })
  expect(of("network", "package registry")).toMatchObject({
    state: "ok",
    detail: `answers (${agentPackage} 7.8.9 is the newest)`,
  })
  expect(of("network", "proxy")?.detail).toContain("http://…@proxy.example:3128")
  expect(of("data directory", "place")?.detail).toBe(`${join(folder.path, "data")} (made at the first start)`)
  expect([code, counts.failed]).toEqual([0, 0])
  expect(JSON.stringify(findings)).not.toContain("me:secret")
  expect(findings.filter(({ state, hint }) => state !== "ok" && !hint)).toEqual([])
})

test("what would keep a session from starting fails, says what to do, and is exit code 1", async () => {
  using folder = temporaryFolder()
  using taken = Bun.listen({ port: 0, hostname: "127.0.0.1", socket: { data: () => {} } })
  const bin = join(folder.path, "bin")
  mkdirSync(bin)
  program(bin, "opencode", "echo 2.0.0")
  program(bin, "claude", "echo broken >&2; exit 3")
  writeFileSync(join(folder.path, "file"), "")
  const env = {
    PATH: bin,
    OPENAI_API_KEY: "sk-0123456789abcdef",
    OPENAI_BASE_URL: "http://127.0.0.1:9",
    npm_config_registry: "http://127.0.0.1:9",
    SANDBOX_AGENT_PORT: String(taken.port),
  }
  const { code, of } = await doctor(["--data-dir", join(folder.path, "file/data")], { env })
  expect(code).toBe(1)
  expect(of("daemon", "port")).toMatchObject({ state: "failed", hint: expect.stringContaining("--port 0") })
  expect(of("data directory", "writable")).toMatchObject({
    state: "failed",
    hint: expect.stringContaining("--data-dir"),
  })
  expect(of("agents", "opencode")).toMatchObject({
    state: "failed",
    hint: expect.stringContaining("sandbox-agent install-agent opencode"),
  })
  expect(of("agents", "claude")).toMatchObject({ state: "warning", detail: expect.stringContaining("is not used") })
  expect(of("network", "openai")).toMatchObject({ state: "warning", hint: expect.stringContaining("OPENAI_BASE_URL") })
  expect(of("network", "package registry")).toMatchObject({ state: "warning", hint: expect.stringContaining(".npmrc") })
  expect(of("machine", "git")).toMatchObject({ state: "warning", detail: "not on PATH" })
})

test("of an agent that was added: the variables that it logs in with", async () => {
  using folder = temporaryFolder()
  const words = ["agents", "add", "--data-dir", folder.path, "--id", "mine", "--login", "MY_KEY", "--login", "MY_TOKEN"]
  expect(await cli([...words, "--", "sh", "-c", "true"])).toMatchObject({ code: 0 })
  const look = (env: Record<string, string>) =>
    doctor(["--data-dir", folder.path], { env: { npm_config_registry: "http://127.0.0.1:9", ...env } })
  expect((await look({})).of("agents", "mine login")).toMatchObject({
    state: "warning",
    hint: "Set MY_KEY, or set MY_TOKEN, or log in with the agent's own command.",
  })
  expect((await look({ MY_TOKEN: "x" })).of("agents", "mine login")).toMatchObject({ state: "ok", detail: "found" })
})

test("a daemon that runs is named; one that stands still has failed", async () => {
  await using daemon = await startDaemon()
  const look = () => doctor(["--data-dir", daemon.dataDir], { env: { npm_config_registry: "http://127.0.0.1:9" } })
  const running = await look()
  expect(running.of("daemon", "running")).toMatchObject({
    state: "ok",
    detail: expect.stringContaining(`pid ${daemon.pid}`),
  })
  process.kill(daemon.pid, "SIGSTOP")
  const stop = `daemon stop --data-dir ${daemon.dataDir}`
  try {
    const stands = await look()
    expect(stands.of("daemon", "running")).toMatchObject({
      state: "failed",
      hint: expect.stringContaining(
        `\`sandbox-agent ${stop}\`, then \`sandbox-agent ${stop.replace("stop", "start")}\``,
      ),
    })
    expect(stands.code).toBe(1)
  } finally {
    process.kill(daemon.pid, "SIGCONT")
  }
})

test("for people: a heading for each area, a sign for each line, and what to do below it", async () => {
  using folder = temporaryFolder()
  const env = { PATH: folder.path, npm_config_registry: "http://127.0.0.1:9", SANDBOX_AGENT_PORT: "0" }
  const { code, stdout } = await cli(["doctor", "--data-dir", folder.path], { env })
  expect(code).toBe(0)
  expect(stdout.match(/^[a-z ]+$/gm)).toEqual(["daemon", "data directory", "agents", "network", "machine"])
  expect(stdout).toMatch(/^ {2}✓ mock +part of this program$/m)
  expect(stdout).toMatch(/^ {2}! git +not on PATH\n +Install git: /m)
  expect(stdout).toMatch(/^\d+ ok, \d+ to look at, 0 failed$/m)
})

test("an argument is refused", async () => {
  const { code, stderr } = await cli(["doctor", "claude"])
  expect([code, stderr]).toEqual([2, expect.stringContaining("`doctor` takes no argument")])
})

test("a data directory that is a file is told as that", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "file")
  writeFileSync(file, "")
  const { code, stdout } = await cli(["doctor", "--data-dir", file])
  expect(code).toBe(1)
  expect(stdout).toContain(`${file} is not a folder`)
  expect(stdout).toContain("Name another one with --data-dir, or move it away.")
})
