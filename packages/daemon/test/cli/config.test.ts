import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { describe, expect, test } from "vitest"
import { resolveServerConfig } from "../../src/cli/config.ts"
import { envOf, keyOf, type ServerFlag, serverFlags } from "../../src/cli/server-flags.ts"
import { temporaryFolder } from "./spawn.ts"

const flags: readonly ServerFlag[] = serverFlags

/** Three values that are allowed and differ, as text. */
function samples(flag: ServerFlag): [string, string, string] {
  if (flag.name === "log-level") return ["debug", "warn", "error"]
  if (flag.values) return [flag.values[0] ?? "", flag.values[1] ?? "", flag.values[0] ?? ""]
  if (flag.type === "boolean") return ["true", "false", "true"]
  if (flag.type === "number") return ["11", "12", "13"]
  if (flag.name === "cors-allow-origin") return ["https://a.example", "https://b.example", "https://c.example"]
  if (flag.name === "agent-path") return ["claude=/one", "claude=/two", "claude=/three"]
  if (flag.name === "interval") return ["tidyMs=1", "tidyMs=2", "openMs=3"]
  if (flag.name === "install-source") return ["npm", "vendor", "npm"]
  return flag.path ? ["/one", "/two", "/three"] : ["one", "two", "three"]
}

const asJson = (flag: ServerFlag, text: string): unknown =>
  flag.type === "boolean"
    ? text === "true"
    : flag.type === "number"
      ? Number(text)
      : flag.type === "list"
        ? [text]
        : text
const resolved = (flag: ServerFlag, text: string): unknown => asJson(flag, text)

function withFile<T>(text: string, run: (path: string) => T): T {
  using folder = temporaryFolder()
  const path = join(folder.path, "config.json")
  writeFileSync(path, text, { mode: 0o600 })
  return run(path)
}

function refusal(argv: string[], env: Record<string, string> = {}): string {
  try {
    resolveServerConfig(argv, { HOME: "/no/such/place", ...env })
  } catch (error) {
    if (SandboxAgentError.is(error) && error.code === "invalid_request") return error.detail
    throw error
  }
  throw new Error("was not refused")
}

describe("precedence", () => {
  const settings = flags.filter((flag) => flag.name !== "config")
  const read = (flag: ServerFlag, argv: string[], env: Record<string, string>): unknown =>
    resolveServerConfig(argv, { HOME: "/no/such/place", ...env })[keyOf(flag.name) as "host"]
  // The token settings decide together and have tests of their own.
  const plain = settings.filter((flag) => flag.name !== "token" && flag.name !== "no-token")

  test.each(plain.map((flag) => [flag.name, flag] as const))("%s: flag, environment, file, default", (_, flag) => {
    const [a, b, c] = samples(flag)
    withFile(JSON.stringify({ [keyOf(flag.name)]: asJson(flag, c) }), (path) => {
      const env = { [envOf(flag.name)]: b }
      expect(read(flag, [`--${flag.name}=${a}`, `--config=${path}`], env)).toEqual(resolved(flag, a))
      expect(read(flag, [`--config=${path}`], env)).toEqual(resolved(flag, b))
      expect(read(flag, [`--config=${path}`], {})).toEqual(resolved(flag, c))
      expect(read(flag, [], { SANDBOX_AGENT_CONFIG: path })).toEqual(resolved(flag, c))
    })
    const fallback = flag.default ?? (flag.type === "boolean" ? false : flag.type === "list" ? [] : undefined)
    if (flag.name !== "data-dir" && flag.name !== "log-format") expect(read(flag, [], {})).toEqual(fallback)
  })

  test("the token settings of the highest layer win together", () => {
    withFile('{"token":"from-file"}', (path) => {
      const at = (argv: string[], env: Record<string, string> = {}) => {
        const { token, noToken } = resolveServerConfig([`--config=${path}`, ...argv], {
          HOME: "/no/such/place",
          ...env,
        })
        return { token, noToken }
      }
      expect(at([])).toEqual({ token: "from-file", noToken: false })
      expect(at([], { SANDBOX_AGENT_NO_TOKEN: "1" })).toEqual({ token: undefined, noToken: true })
      expect(at([], { SANDBOX_AGENT_NO_TOKEN: "0" })).toEqual({ token: "from-file", noToken: false })
      expect(at(["--token", "t"], { SANDBOX_AGENT_NO_TOKEN: "1" })).toEqual({ token: "t", noToken: false })
      expect(at(["--no-token"], { SANDBOX_AGENT_TOKEN: "t" })).toEqual({ token: undefined, noToken: true })
    })
    expect(refusal(["--token=t", "--no-token"])).toContain("exclude each other")
  })

  test("the default config file is read where XDG says", () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, "sandbox-agent"))
    writeFileSync(join(folder.path, "sandbox-agent/config.json"), '{"port": 99}')
    expect(resolveServerConfig([], { HOME: "/no/such/place", XDG_CONFIG_HOME: folder.path }).port).toBe(99)
    mkdirSync(join(folder.path, ".config/sandbox-agent"), { recursive: true })
    writeFileSync(join(folder.path, ".config/sandbox-agent/config.json"), '{"port": 98}')
    expect(resolveServerConfig([], { HOME: folder.path }).port).toBe(98)
    expect(resolveServerConfig([], { HOME: folder.path, XDG_CONFIG_HOME: "relative" }).port).toBe(98)
  })

  test("the data directory follows XDG", () => {
    expect(resolveServerConfig([], { HOME: "/h" }).dataDir).toBe("/h/.local/share/sandbox-agent")
    expect(resolveServerConfig([], { HOME: "/h", XDG_DATA_HOME: "/x" }).dataDir).toBe("/x/sandbox-agent")
  })

  test("off takes back what a lower layer set", () => {
    withFile('{"retentionDays": 7}', (path) => {
      expect(resolveServerConfig(["--config", path], { HOME: "/h" }).retentionDays).toBe(7)
      expect(
        resolveServerConfig(["--config", path, "--retention-days=off"], { HOME: "/h" }).retentionDays,
      ).toBeUndefined()
    })
  })

  test("lists repeat and split at commas; environment lists replace those of the file", () => {
    const argv = ["--cors-allow-origin", "https://a.example,https://b.example", "--cors-allow-origin=https://c.example"]
    const origins = ["https://a.example", "https://b.example", "https://c.example"]
    expect(resolveServerConfig(argv, { HOME: "/h" }).corsAllowOrigin).toEqual(origins)
    expect(
      resolveServerConfig([], { HOME: "/h", SANDBOX_AGENT_ALLOW_HOST: "a.example, b.example:80" }).allowHost,
    ).toEqual(["a.example", "b.example:80"])
  })

  test("paths of the file are relative to the file, those of flags to the current folder", () => {
    withFile('{"dataDir": "data", "fsRoot": ["~/files"]}', (path) => {
      const config = resolveServerConfig(["--config", path], { HOME: "/h" })
      expect(config.dataDir).toBe(join(path, "../data"))
      expect(config.fsRoot[0]).toMatch(/^\/.*\/files$/)
      expect(resolveServerConfig(["--data-dir", "data"], { HOME: "/h" }).dataDir).toBe(join(process.cwd(), "data"))
    })
  })
})

describe("refusals name the setting and what is allowed", () => {
  test.each([
    [["--port=70000"], {}, ["--port", "0 to 65535"]],
    [["--port=1e3"], {}, ["--port", "whole number"]],
    [["--port="], {}, ["--port"]],
    [["--store=redis"], {}, ["--store", "sqlite, memory"]],
    [["--token="], {}, ["--token", "printable"]],
    [["--token=a b"], {}, ["--token"]],
    [["--retention-days=0"], {}, ["--retention-days", "or off"]],
    [["--cors-allow-origin=example.com"], {}, ["--cors-allow-origin", "https://app.example.com"]],
    [["--cors-allow-origin=https://a.example/path"], {}, ["--cors-allow-origin"]],
    [["--log-level=loud"], {}, ["--log-level", "debug, info, warn, error"]],
    [["--fsync=maybe"], {}, ["--fsync", "true or false"]],
    [["--host"], {}, ["--host", "needs a value"]],
    [["--prot=3"], {}, ["--prot", "did you mean `--port`"]],
    [["extra"], {}, ["extra"]],
    [["--no-token", "--host=0.0.0.0"], {}, ["--no-token", "--allow-open"]],
    [["--cors-allow-origin=*", "--cors-allow-credentials"], {}, ["--cors-allow-credentials"]],
    [[], { SANDBOX_AGENT_PORT: "many" }, ["SANDBOX_AGENT_PORT", "whole number"]],
    [[], { SANDBOX_AGENT_FSYNC: "perhaps" }, ["SANDBOX_AGENT_FSYNC", "true or false"]],
  ] as [string[], Record<string, string>, string[]][])("%j %j", (argv, env, parts) => {
    const detail = refusal(argv, env)
    for (const part of parts) expect(detail).toContain(part)
  })

  test("a refused token is not repeated", () => {
    expect(refusal(["--token=very secret"])).not.toContain("secret")
  })

  test("open on purpose, and empty variables, pass", () => {
    expect(resolveServerConfig(["--no-token", "--host=0.0.0.0", "--allow-open"], { HOME: "/h" }).noToken).toBe(true)
    expect(resolveServerConfig(["--no-token", "--host=::1"], { HOME: "/h" }).noToken).toBe(true)
    expect(resolveServerConfig([], { HOME: "/h", SANDBOX_AGENT_PORT: "" }).port).toBe(2468)
    expect(resolveServerConfig([], { HOME: "/h", SANDBOX_AGENT_TOKEN: "" })).toMatchObject({
      token: undefined,
      noToken: false,
    })
  })
})

describe("the config file", () => {
  const refused = (text: string): string => withFile(text, (path) => refusal(["--config", path]).replace(path, "FILE"))

  test("what is wrong is told with the place", () => {
    expect(refused('{\n  "port": 1,\n  "host"')).toBe(
      "config file FILE, line 3, column 9: not JSON: it ends in the middle",
    )
    expect(refused('{"port": 1,}')).toContain("line 1, column 12")
    expect(refused("")).toContain("line 1, column 1")
    expect(refused("[]")).toContain("must be a JSON object")
    expect(refused('{"prot": 1}')).toContain("unknown key `prot`; did you mean `port`?")
    expect(refused('{"port": "x"}')).toContain("key `port`")
    expect(refused('{"token": ""}')).toContain("key `token`")
    expect(refused('{"config": "x"}')).toContain("unknown key `config`")
    expect(refused('{"allowHost": [1]}')).toContain("key `allowHost`")
  })

  test("a named file must be there, the default one need not", () => {
    expect(refusal(["--config=/no/such/place/c.json"])).toContain("/no/such/place/c.json: cannot be read (ENOENT)")
    expect(resolveServerConfig([], { HOME: "/no/such/place" }).warnings).toEqual([])
  })

  test("a token others can read is warned about", () => {
    withFile('{"token":"t"}', (path) => {
      const warnings = (): string[] => resolveServerConfig(["--config", path], { HOME: "/h" }).warnings
      expect(warnings()).toEqual([])
      chmodSync(path, 0o640)
      expect(warnings()).toHaveLength(1)
      expect(warnings()[0]).toContain(`chmod 600 ${path}`)
    })
  })
})
