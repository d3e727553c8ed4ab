import { jsonErrorPosition } from "@sandbox-agent/schema/json-position"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { closest, distance } from "../../src/cli/closest.ts"
import type { Flag } from "../../src/cli/flag.ts"
import { parseFlags } from "../../src/cli/parse.ts"
import { isCompiled } from "../../src/cli/self.ts"
import { specialRequest } from "../../src/cli/special.ts"

const flags: Flag[] = [
  { name: "title", type: "string", help: "" },
  { name: "lines", short: "n", type: "number", help: "" },
  { name: "json", type: "boolean", help: "" },
  { name: "no-token", type: "boolean", help: "" },
]
const parse = (...argv: string[]) => {
  const { given, positionals } = parseFlags(argv, flags, [])
  return { flags: given.map((g) => [g.flag.name, g.value]), positionals }
}

describe("flags", () => {
  test("values stand after a space or an equals sign", () => {
    expect(parse("a", "--title", "x y", "--lines=3", "-n", "4", "b")).toEqual({
      flags: [
        ["title", "x y"],
        ["lines", "3"],
        ["lines", "4"],
      ],
      positionals: ["a", "b"],
    })
    expect(parse("--title=")).toEqual({ flags: [["title", ""]], positionals: [] })
    expect(parse("--title", "-")).toEqual({ flags: [["title", "-"]], positionals: [] })
    expect(parse("--lines", "-5")).toEqual({ flags: [["lines", "-5"]], positionals: [] })
  })

  test("switches", () => {
    expect(parse("--json", "x").positionals).toEqual(["x"])
    expect(parse("--json=no", "--no-json", "--json=1").flags.map((f) => f[1])).toEqual(["false", "false", "true"])
    expect(parse("--no-token").flags).toEqual([["no-token", "true"]])
    expect(() => parse("--json=perhaps")).toThrow("switch")
  })

  test("what is an argument although it begins with a dash", () => {
    expect(parse("-", "-5", "- a list", "--do it now", "--", "--json").positionals).toEqual([
      "-",
      "-5",
      "- a list",
      "--do it now",
      "--json",
    ])
  })

  test("errors", () => {
    expect(() => parse("--title")).toThrow("`--title` needs a value")
    expect(() => parse("--title", "--json")).toThrow("`--title` needs a value")
    expect(() => parse("--titel=x")).toThrow("unknown flag `--titel`; did you mean `--title`?")
    expect(() => parse("-x")).toThrow("unknown flag `-x`")
  })

  test("help and version are found, but not in values or after --", () => {
    expect(specialRequest(["a", "--help"], flags)).toBe("help")
    expect(specialRequest(["--title", "x", "-h"], flags)).toBe("help")
    expect(specialRequest(["--title=--help"], flags)).toBeUndefined()
    expect(specialRequest(["--", "--help"], flags)).toBeUndefined()
    expect(specialRequest(["--version"], flags)).toBe("version")
    const withVersion: Flag[] = [{ name: "version", type: "string", help: "" }]
    expect(specialRequest(["--version", "1.2"], withVersion)).toBeUndefined()
    expect(specialRequest(["-V"], withVersion)).toBe("version")
  })
})

test("distance is a metric on short words, with swaps as one edit", () => {
  const word = fc.stringMatching(/^[abc]{0,6}$/)
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(distance(a, b)).toBe(distance(b, a))
      expect(distance(a, b) === 0).toBe(a === b)
      expect(distance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length))
    }),
  )
  expect(distance("prot", "port")).toBe(1)
  expect(closest("zzzzzz", ["port", "host"])).toBeUndefined()
})

describe("the place where JSON fails", () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }

  test("agrees with JSON.parse on what is JSON, whole or cut or changed", () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom("", ",", '"', "}", "]", ":", "x", "0", "\n", "\\", "\u0001"),
        (json, at, extra) => {
          const cut = at % (json.length + 1)
          for (const text of [json, json.slice(0, cut), json.slice(0, cut) + extra + json.slice(cut)])
            expect(jsonErrorPosition(text) === undefined).toBe(isJson(text))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test("counts lines and columns from one", () => {
    expect(jsonErrorPosition('{\n  "a": tru\n}')).toEqual({
      line: 2,
      column: 8,
      reason: "a JSON value should stand here",
    })
    expect(jsonErrorPosition('{"a" 1}')).toMatchObject({ line: 1, column: 6, reason: "`:` should stand here" })
  })
})

test("a compiled executable is known by the place of its modules", () => {
  expect(isCompiled("/$bunfs/root/sandbox-agent")).toBe(true)
  expect(isCompiled("B:/~BUN/root/sandbox-agent.exe")).toBe(true)
  expect(isCompiled("/home/me/project/packages/daemon/src/main.ts")).toBe(false)
})
