import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { homeWith, jwt } from "../credentials/home.ts"
import { cli, temporaryFolder } from "./spawn.ts"
import { atTerminal } from "./terminal.ts"

const secret = "sk-ant-api03-0123456789abcdef"
const token = "oauth-access-0123456789abcdef"
const fixture = () =>
  homeWith({
    ".claude/.credentials.json": { claudeAiOauth: { accessToken: token, expiresAt: 1_600_000_000_000 } },
    ".codex/auth.json": { auth_mode: "chatgpt", tokens: { access_token: jwt(4_000_000_000) } },
    ".local/share/opencode/auth.json": '{"openai": {"type": "api", "key": "sk-cut-off',
  })

describe("credentials extract", () => {
  test("in a pipe: rows with the source, secrets cut, notes on stderr", async () => {
    const HOME = fixture()
    const { code, stdout, stderr } = await cli(["credentials", "extract"], { env: { HOME, ANTHROPIC_API_KEY: secret } })
    expect(code).toBe(0)
    const rows = stdout.trimEnd().split("\n")
    expect(rows.slice(0, 2)).toEqual([
      "claude\tanthropic\tapi_key\tsk-a…cdef\tANTHROPIC_API_KEY\t",
      `claude\tanthropic\toauth\toaut…cdef\t${HOME}/.claude/.credentials.json (claudeAiOauth.accessToken)\t2020-09-13T12:26:40.000Z`,
    ])
    expect(rows.map((row) => row.split("\t")[0])).toEqual(["claude", "claude", "codex", "opencode", "pi"])
    expect(stderr).toBe(`note: opencode: ${HOME}/.local/share/opencode/auth.json is not JSON; it may be half written\n`)
    for (const hidden of [secret, token, "sk-cut"]) expect(stdout + stderr).not.toContain(hidden)
  })

  test("--reveal shows them, --agent takes one", async () => {
    const env = { HOME: fixture(), ANTHROPIC_API_KEY: secret }
    const { stdout } = await cli(["credentials", "extract", "--agent", "claude", "--reveal"], { env })
    expect(stdout.split("\n").map((row) => row.split("\t")[3])).toEqual([secret, token, undefined])
  })

  test("--json", async () => {
    const HOME = fixture()
    const env = { HOME, ANTHROPIC_API_KEY: secret }
    const hidden = await cli(["credentials", "extract", "--json"], { env })
    expect(hidden.stderr).toBe("")
    expect(hidden.stdout).not.toContain(secret)
    const { redacted, agents, hint } = JSON.parse(hidden.stdout)
    expect([redacted, hint]).toEqual([true, undefined])
    expect(agents.map((one: { agent: string; available: boolean }) => [one.agent, one.available])).toEqual([
      ["claude", true],
      ["codex", true],
      ["opencode", true],
      ["amp", false],
      ["pi", true],
    ])
    expect(agents[2].notes).toEqual([expect.stringContaining("half written")])
    const shown = await cli(["credentials", "extract", "--json", "--reveal", "--agent=claude"], { env })
    expect(JSON.parse(shown.stdout)).toEqual({
      redacted: false,
      agents: [
        {
          agent: "claude",
          available: true,
          notes: [],
          looked: {
            variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
            files: [".claude/.credentials.json", ".claude.json", ".claude/settings.json"].map(
              (name) => `${HOME}/${name}`,
            ),
          },
          credentials: [
            { provider: "anthropic", kind: "api_key", source: { env: "ANTHROPIC_API_KEY" }, value: secret },
            {
              provider: "anthropic",
              kind: "oauth",
              source: { file: `${HOME}/.claude/.credentials.json`, key: "claudeAiOauth.accessToken" },
              value: token,
              expiresAt: "2020-09-13T12:26:40.000Z",
            },
          ],
        },
      ],
    })
  })

  test("at a terminal: by agent, with what is over and what is missing", async () => {
    const env = { HOME: fixture(), OPENAI_API_KEY: "short" }
    const { code, screen } = await atTerminal(["credentials", "extract"], [], undefined, env)
    expect(code).toBe(0)
    expect(screen).toMatch(
      /^ {2}anthropic +oauth +oaut…cdef {2}~\/\.claude\/\.credentials\.json \(claudeAiOauth\.accessToken\), ended 2020/m,
    )
    expect(screen).toMatch(/^ {2}openai +api_key +… +OPENAI_API_KEY, handed to the agent by the daemon$/m)
    expect(screen).toMatch(/^amp none found$/m)
    expect(screen).toMatch(/^ {2}note: .*half written$/m)
    expect(screen).not.toContain("short")
  })

  test("nothing found is no error, and what to do is told", async () => {
    const env = { HOME: homeWith({}) }
    const all = await cli(["credentials", "extract"], { env })
    expect([all.code, all.stdout]).toEqual([0, ""])
    expect(all.stderr).toMatch(/^no credentials for any agent were found; log in .* ANTHROPIC_API_KEY\n$/)
    const amp = await cli(["credentials", "extract", "--agent", "amp", "--json"], { env })
    expect(amp.code).toBe(0)
    expect(JSON.parse(amp.stdout).hint).toContain("AMP_API_KEY")
    // A cloud's role is enough.
    const cloud = await cli(["credentials", "extract"], { env: { ...env, CLAUDE_CODE_USE_BEDROCK: "1" } })
    expect([cloud.code, cloud.stdout]).toEqual([0, ""])
    expect(cloud.stderr).toBe("note: claude: CLAUDE_CODE_USE_BEDROCK is set: the cloud's own credentials are used\n")
  })
})

describe("credentials extract-env", () => {
  const evaluated = (script: string): Record<string, string> => {
    const shell = Bun.spawnSync(["sh", "-c", `eval "$0"; env -0`, script], { env: { PATH: process.env.PATH } })
    const pairs = shell.stdout.toString().split("\0").filter(Boolean)
    return Object.fromEntries(pairs.map((pair) => [pair.split("=")[0], pair.slice(pair.indexOf("=") + 1)]))
  }

  test("a shell takes the lines, whatever the secrets hold", async () => {
    const odd = `a'b"c $(touch /nonexistent) \`id\` \\ $HOME\nnext`
    const env = { HOME: fixture(), ANTHROPIC_API_KEY: odd, AMP_API_KEY: "k" }
    const plain = await cli(["credentials", "extract-env"], { env })
    expect(plain.code).toBe(0)
    expect(plain.stdout).not.toContain("export")
    expect(evaluated(plain.stdout)).not.toHaveProperty("AMP_API_KEY")
    const exported = await cli(["credentials", "extract-env", "--export"], { env })
    expect(evaluated(exported.stdout)).toMatchObject({
      ANTHROPIC_API_KEY: odd,
      CLAUDE_CODE_OAUTH_TOKEN: token,
      AMP_API_KEY: "k",
    })
    expect(exported.stderr).toBe("note: codex: the oauth of openai cannot be given by environment; copy its file\n")
  })

  test("a name out of a configuration is no way into the shell", async () => {
    using folder = temporaryFolder()
    const name = `X;touch ${join(folder.path, "evil")};Y`
    const provider = { mine: { options: { apiKey: `{env:${name}}` } } }
    const HOME = homeWith({ ".config/opencode/opencode.json": { provider } })
    const { code, stdout, stderr } = await cli(["credentials", "extract-env"], { env: { HOME, [name]: "value" } })
    expect([code, stdout]).toEqual([0, ""])
    expect(stderr).toContain("cannot be written for a shell")
    evaluated(stdout)
    expect(existsSync(join(folder.path, "evil"))).toBe(false)
  })

  test("a screen is warned of; an empty one gets a hint", async () => {
    const args = ["credentials", "extract-env", "--agent", "claude"]
    const { code, screen } = await atTerminal(args, [], undefined, { HOME: homeWith({}), ANTHROPIC_API_KEY: secret })
    expect(code).toBe(0)
    expect(screen).toMatch(/^warning: secrets in clear/m)
    expect(screen).toContain(`ANTHROPIC_API_KEY='${secret}'`)
    const none = await cli(args, { env: { HOME: homeWith({}) } })
    expect(none).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("no credentials for claude") })
  })
})

test.each([
  [["extract", "--agent", "cluade"], "claude, codex, opencode, amp, pi; did you mean `claude`?"],
  [["extract-env", "--agent", "mock"], "claude, codex, opencode, amp, pi"],
  [["extract", "claude"], "did you mean `--agent claude`?"],
  [["extract-env", "--reveal"], "unknown flag `--reveal`"],
  [[], "credentials extract-env"],
  [["extrac"], "did you mean `credentials extract`?"],
])("credentials %j is a mistake", async (args, part) => {
  const { code, stdout, stderr } = await cli(["credentials", ...args])
  expect([code, stdout]).toEqual([2, ""])
  expect(stderr).toContain(part)
})
