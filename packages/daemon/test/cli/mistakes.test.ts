import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { cli, temporaryFolder } from "./spawn.ts"

let daemon: TestDaemon
const folder = temporaryFolder()

beforeAll(async () => {
  daemon = await startDaemon()
  await daemon.api.create("demo")
  await daemon.api.create("over")
  await daemon.api.terminate("over")
  mkdirSync(join(folder.path, "own"))
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** What people type, what they are told (the error, then what to do next), and the exit code. */
const mistakes: [words: string, error: string, hint: string, code: number, env?: Record<string, string>][] = [
  ["sesions list", "unknown command `sesions`; did you mean `sessions`?", "see `sandbox-agent help`", 2],
  [
    "sessions lst",
    "unknown command `sessions lst`; did you mean `sessions list`?",
    "see `sandbox-agent help sessions`",
    2,
  ],
  [
    "daemon strat",
    "unknown command `daemon strat`; did you mean `daemon start`?",
    "see `sandbox-agent help daemon`",
    2,
  ],
  [
    "sessions list --limt 3",
    "unknown flag `--limt`; did you mean `--limit`?",
    "see `sandbox-agent help sessions list`",
    2,
  ],
  ["sessions list --limit many", "--limit: must be a whole number", "see `sandbox-agent help sessions list`", 2],
  [
    "run mokc hi",
    'there is no agent "mokc"; did you mean `mock`?\n',
    "there are claude, ",
    2,
    { SANDBOX_AGENT_URL: "" },
  ],
  ["run mock hi --mode desgin", "Mock has no mode desgin\n", "there are build, ", 2, { SANDBOX_AGENT_URL: "" }],
  ["run mock hi --model nope", "Mock has no model nope\n", "there are mock-", 2, { SANDBOX_AGENT_URL: "" }],
  ["run mock", "missing <prompt>", "see `sandbox-agent help run`", 2],
  ["run mock two words", "<prompt> is one argument: put it in quotes", "see `sandbox-agent help run`", 2],
  [
    "run mock hi --permission-mode bypas",
    '--permission-mode: "bypas" is not one of default, acceptEdits, plan, bypass; did you mean `bypass`?',
    "see `sandbox-agent help run`",
    2,
  ],
  [
    "run mock hi --cwd /no/such/place",
    "--directory: /no/such/place is not a directory",
    "see `sandbox-agent help run`",
    2,
  ],
  [
    "sessions get demoo",
    "there is no session demoo; did you mean `demo`? (DAEMON)",
    "`sandbox-agent sessions list` names them",
    4,
  ],
  [
    "sessions create demo --agent mock",
    "session demo already exists",
    "choose another id, or go on with `sandbox-agent attach demo`",
    5,
  ],
  [
    "sessions create other --agent mok",
    'there is no agent "mok"; did you mean `mock`? (DAEMON)',
    "there are claude, ",
    2,
  ],
  [
    "sessions create other",
    "--agent: no agent is named; there are claude, ",
    "Name one in `--agent`, or start the daemon with --default-agent.",
    2,
  ],
  [
    "sessions create bad/id --agent mock",
    "id: 1 to 128 of [A-Za-z0-9._:-]",
    "see `sandbox-agent help sessions create`",
    2,
  ],
  ["sessions create other --agent mock --agent-mode desgin", "Mock has no mode desgin", "there are build, ", 2],
  ["sessions send-message over hi", "session over has ended", "`sandbox-agent sessions resume over` brings it back", 5],
  ["sessions send-message demo", "missing <message>", "see `sandbox-agent help sessions send-message`", 2],
  [
    "sessions reply-permission demo once",
    "no permission is open in demo",
    "see `sandbox-agent sessions get-pending demo`",
    4,
  ],
  [
    "sessions list",
    "the token is wrong (DAEMON)",
    "SANDBOX_AGENT_TOKEN has another one; for the daemon on this machine `unset SANDBOX_AGENT_TOKEN` is enough",
    3,
    { SANDBOX_AGENT_TOKEN: "wrong" },
  ],
  [
    "sessions list --token wrong",
    "the token is wrong (DAEMON)",
    "--token was another one; the daemon on this machine needs none to be given",
    3,
  ],
  [
    "sessions list",
    "the request carries no token (DAEMON)",
    "give --token or set SANDBOX_AGENT_TOKEN; `sandbox-agent daemon token`",
    3,
    { SANDBOX_AGENT_TOKEN: "" },
  ],
  [
    "sessions list --data-dir FOLDER",
    "no daemon runs on FOLDER",
    "start it with `sandbox-agent daemon start --data-dir FOLDER`",
    9,
  ],
  [
    "sessions list",
    "http://127.0.0.1:1 does not answer (",
    "is the daemon running? start it with `sandbox-agent daemon start`",
    9,
    { SANDBOX_AGENT_URL: "http://127.0.0.1:1" },
  ],
  [
    "sessions list",
    'the endpoint "localhost:2468" is not an http or https URL, such as http://127.0.0.1:2468',
    "see `sandbox-agent help`",
    2,
    { SANDBOX_AGENT_URL: "localhost:2468" },
  ],
  [
    "install-agent goose --data-dir FOLDER",
    "goose is not installed, and is not known to be installable from here: `goose` is not on the PATH of the daemon",
    "Install it as its makers say, so that `goose` is on PATH.",
    7,
    { SANDBOX_AGENT_URL: "" },
  ],
  ["sessions reply-permission", "missing <id> <reply>", "see `sandbox-agent help sessions reply-permission`", 2],
  ["sessions fork demo", "missing <new-id>", "see `sandbox-agent help sessions fork`", 2],
  [
    "processes run ls -la",
    "unknown flag `-la`; flags of a program follow `--`: `sandbox-agent processes run -- ls -la`",
    "see `sandbox-agent help processes run`",
    2,
  ],
  [
    "agents add --id mine node agent.mjs --acp --data-dir FOLDER",
    "unknown flag `--acp`; flags of a program follow `--`: `sandbox-agent agents add --id mine -- node agent.mjs --acp",
    "see `sandbox-agent help agents add`",
    2,
  ],
  [
    "fs stat notes.txt",
    "path: a relative path needs `--session-id`, or begin it with /",
    "see `sandbox-agent help fs stat`",
    2,
  ],
  ["fs rm FOLDER", "FOLDER is a folder that is not empty", "Say `--recursive` to remove it with everything in it.", 5],
  ["fs mv FOLDER/own /usr", "/usr exists already", "Say `--overwrite` to replace it.", 5],
  ["fs chmod 9 FOLDER", "--mode: must be three or four octal digits", "see `sandbox-agent help fs chmod`", 2],
  ["config delete-mcp nothing", "HERE has no MCP server nothing", "List them with `sandbox-agent config get-mcp`", 4],
  [
    "server --port PORT --data-dir FOLDER",
    "cannot listen on 127.0.0.1:PORT: port PORT is in use",
    "Choose another with --port, or 0 for any free one;",
    9,
  ],
  [
    "run claude hi",
    "claude has no login: ANTHROPIC_API_KEY, ",
    "Set ANTHROPIC_API_KEY where the daemon runs or with `--env ANTHROPIC_API_KEY=…`, or log in with `claude auth login`.\n",
    9,
    { PATH: "CLAUDE" },
  ],
]

test("a token that no daemon takes is told as such, and not what it is; one may end as a line does", async () => {
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_DATA_DIR: folder.path }
  const list = (token: string | undefined, ...argv: string[]) =>
    cli(["sessions", "list", ...argv], { env: { ...env, SANDBOX_AGENT_TOKEN: token ?? daemon.token } })
  for (const bad of ["se\ncret", "secret€", "se cret"]) {
    for (const [name, ended] of [
      ["SANDBOX_AGENT_TOKEN", await list(bad)],
      ["--token", await list(undefined, "--token", bad)],
    ] as const) {
      const allowed = "1 to 1024 printable characters without spaces"
      expect(ended.stderr).toContain(`error: ${name}: this value is not allowed; allowed: ${allowed}`)
      expect(ended.stderr).not.toContain("cret")
      expect(ended.code).toBe(2)
    }
  }
  expect(await list(`${daemon.token}\n`)).toMatchObject({ code: 0 })
})

test("they are at least twenty", () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(20)
})

test.each(mistakes)("%s", async (words, error, hint, code, env = {}) => {
  const put = (text: string): string =>
    text
      .replaceAll("DAEMON", daemon.url)
      .replaceAll("PORT", new URL(daemon.url).port)
      .replaceAll("FOLDER", folder.path)
      .replaceAll("HERE", process.cwd())
  const whole = {
    SANDBOX_AGENT_URL: daemon.url,
    SANDBOX_AGENT_TOKEN: daemon.token,
    SANDBOX_AGENT_DATA_DIR: folder.path,
    ...env,
  }
  const argv = put(words).split(" ")
  const ended = await cli(argv, { env: { ...whole, ...(env.PATH && { PATH: await withClaude() }) } })
  expect(ended.stderr).toContain(`error: ${put(error)}`)
  expect(ended.stderr).toContain(`hint: ${put(hint)}`)
  expect(ended.stderr).not.toMatch(
    /(GET|POST|PUT|DELETE) \/v1|`sessionId`|=true`|Try again later|Send `Authorization|`detail`/,
  )
  expect(ended.code).toBe(code)
})

/** A PATH with a program that says it is Claude Code. */
async function withClaude(): Promise<string> {
  await Bun.write(`${folder.path}/own/claude`, '#!/bin/sh\necho "2.1.325 (Claude Code)"\n')
  Bun.spawnSync(["chmod", "755", `${folder.path}/own/claude`])
  return `${folder.path}/own:${process.env.PATH}`
}
