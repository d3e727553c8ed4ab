import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { routes } from "@sandbox-agent/schema/contract/contract"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { describe, expect, test } from "vitest"
import { builtinCommands } from "../../src/cli/commands.ts"
import { completionScript } from "../../src/cli/completions.ts"
import { serverFlags } from "../../src/cli/server-flags.ts"
import { startDaemon } from "../harness/daemon.ts"
import { cleanEnvironment, cli, temporaryFolder } from "./spawn.ts"

const script = completionScript("bash")
let env: Record<string, string> = {}

/** What bash offers for a line, the last word being the one that is written. */
async function complete(...words: string[]): Promise<string[]> {
  using folder = temporaryFolder()
  const program = join(folder.path, "sandbox-agent")
  writeFileSync(program, `#!/bin/sh\nexec ${daemonProgram().join(" ")} "$@"\n`, { mode: 0o755 })
  const file = join(folder.path, "completions.bash")
  writeFileSync(file, script)
  const run = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sandbox_agent; printf '%s\\n' "\${COMPREPLY[@]}"`
  const shell = Bun.spawn(["bash", "-eu", "-c", run, file, program, ...words], {
    env: { ...cleanEnvironment, ...env },
    cwd: folder.path,
    stderr: "pipe",
  })
  const [stdout, stderr] = await Promise.all([shell.stdout.text(), shell.stderr.text()])
  expect(stderr).toBe("")
  return stdout.split("\n").filter(Boolean)
}

describe("bash", () => {
  test("the script is valid", () => {
    const { exitCode, stderr } = Bun.spawnSync(["bash", "-n", "/dev/stdin"], {
      stdin: Buffer.from(script),
      stderr: "pipe",
    })
    expect(stderr.toString()).toBe("")
    expect(exitCode).toBe(0)
  })

  test("is registered for the command", () => {
    const shell = Bun.spawnSync(["bash", "-c", `${script}\ncomplete -p sandbox-agent`])
    expect(shell.stdout.toString()).toContain("-F _sandbox_agent sandbox-agent")
  })

  test("first words are commands and groups", async () => {
    const first = new Set([...builtinCommands.map((c) => c.words[0]), ...routes.map((r) => r.cli[0]), "api"])
    expect(new Set(await complete(""))).toEqual(first)
    expect(await complete("sess")).toEqual(["sessions"])
  })

  test.each([[["sessions", ""]], [["api", "sessions", ""]]])(
    "%j: commands of the group with their other names",
    async (words) => {
      const expected = routes
        .filter((r) => r.cli[0] === "sessions")
        .flatMap((r) => [r.cli, ...(r.cliAliases ?? [])].map((w) => w[1]))
      expect(new Set(await complete(...words))).toEqual(new Set(expected))
    },
  )

  test("flags of a command, also after arguments and other flags", async () => {
    expect(await complete("sessions", "create", "x", "--perm")).toEqual(["--permission-mode"])
    expect(await complete("sessions", "create", "x", "--agent", "mock", "--ti")).toEqual(["--title"])
    expect(new Set(await complete("server", "--"))).toEqual(
      new Set([...serverFlags.map((f) => `--${f.name}`), "--help"]),
    )
    expect(await complete("sessions", "get-messages", "x", "--endp")).toEqual(["--endpoint"])
  })

  test("values of flags and arguments", async () => {
    expect(await complete("server", "--store", "")).toEqual(["sqlite", "memory"])
    expect(await complete("server", "--store", "=", "me")).toEqual(["memory"])
    expect(await complete("sessions", "reply-permission", "s", "p", "")).toEqual(["once", "always", "reject"])
    expect(await complete("completions", "z")).toEqual(["zsh"])
    expect(await complete("install-agent", "cl")).toEqual(["claude", "claude-agent-acp", "cline"])
    expect(await complete("install-agent", "all", "--re")).toEqual(["--reinstall"])
    expect(await complete("credentials", "extract-env", "--agent", "co")).toEqual(["codex"])
    expect(await complete("help", "exit")).toEqual(["exit-codes"])
    expect(await complete("run", "cla")).toEqual(["claude", "claude-agent-acp"])
    expect(await complete("sessions", "create", "x", "--agent", "cod")).toEqual(["codex", "codex-acp"])
    expect(await complete("sessions", "create", "x", "--title", "")).toEqual([])
    expect(await complete("server", "--config", "compl")).toEqual(["completions.bash"])
  })
})

test("sessions of the daemon are completed, and none where there is no daemon", async () => {
  await using daemon = await startDaemon()
  await daemon.api.create("first-one")
  await daemon.api.create("second")
  env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  try {
    expect(await complete("sessions", "get", "fi")).toEqual(["first-one"])
    env = { SANDBOX_AGENT_URL: "http://127.0.0.1:1" }
    expect(await complete("sessions", "get", "fi")).toEqual([])
  } finally {
    env = {}
  }
})

describe.each(["zsh", "fish"] as const)("%s", (shell) => {
  const text = completionScript(shell)

  test("names every command and every enum value", () => {
    for (const words of [...builtinCommands.map((c) => c.words), ...routes.map((r) => r.cli)])
      for (const word of words) expect(text).toContain(word)
    for (const value of ["acceptEdits", "once", "sqlite", "get-messages"]) expect(text).toContain(value)
  })

  const program = Bun.which(shell)
  // Without the shell there is nothing that could judge the syntax.
  test.skipIf(!program)("is valid", () => {
    const { exitCode } = Bun.spawnSync([program ?? "", "-n", "/dev/stdin"], { stdin: Buffer.from(text) })
    expect(exitCode).toBe(0)
  })
})

test("the command prints the script, or says which shells there are", async () => {
  expect((await cli(["completions", "bash"])).stdout).toBe(script)
  const wrong = await cli(["completions", "tcsh"])
  expect([wrong.code, wrong.stdout]).toEqual([2, ""])
  expect(wrong.stderr).toContain("bash, zsh, fish")
})
