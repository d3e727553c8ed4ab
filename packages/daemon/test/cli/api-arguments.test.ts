import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Contract, contract, type RouteId, routes } from "@sandbox-agent/schema/contract/contract"
import type { Route } from "@sandbox-agent/schema/contract/route"
import { buildOpenApi } from "@sandbox-agent/schema/openapi"
import { describe, expect, test } from "vitest"
import { apiRequest } from "../../src/cli/api-arguments.ts"
import {
  apiCommands,
  bodyFields,
  commandOf,
  pathParameters,
  queryFlags,
  requiredQuery,
  routeFlags,
} from "../../src/cli/api-commands.ts"
import { connectionFlags, matchCommand } from "../../src/cli/command.ts"
import { builtinCommands } from "../../src/cli/commands.ts"
import { kebabCase } from "../../src/cli/flag.ts"
import { flagTypeOf, type JsonSchema } from "../../src/cli/schema-flag.ts"
import { temporaryFolder } from "./spawn.ts"

const noStdin = (): Promise<string> => Promise.reject(new Error("stdin was read"))
const ask = (id: RouteId, ...argv: string[]) => apiRequest(contract[id as keyof Contract] as Route, argv, noStdin)

/** A value of the right type, as text and as what it stands for. */
function sample(schema: JsonSchema): [text: string, value: unknown] {
  if (schema.enum) return [String(schema.enum[0]), schema.enum[0]]
  const type = flagTypeOf(schema)
  if (type === "boolean") return ["true", true]
  if (type === "number") return ["3", 3]
  if (type === "pairs") return ["A=b=c", { A: "b=c" }]
  if (type === "json") return ['[["x"]]', [["x"]]]
  return ["some text", "some text"]
}

describe("every route", () => {
  test.each(routes.map((route) => [route.id, route] as const))(
    "%s has a command, and each of its fields a flag",
    async (_, route) => {
      for (const words of [route.cli, ...(route.cliAliases ?? [])]) {
        const found = matchCommand(apiCommands, [...words, "x"])
        expect(found?.command.words).toEqual(route.cli)
        expect(found?.rest).toEqual(["x"])
        // One command installs, by either name; `api` in front means the endpoint.
        const ours = matchCommand(builtinCommands, [...words])?.command.words
        expect(ours).toEqual(route.id === "installAgent" ? ["install-agent"] : undefined)
      }
      const params = pathParameters(route)
      const { fields, required } = bodyFields(route)
      const values = new Map(Object.entries(fields).map(([field, schema]) => [field, sample(schema)]))
      const needed = [
        ...required.map((field) => `--${kebabCase(field)}=${values.get(field)?.[0]}`),
        ...requiredQuery(route).map((field) => `--${kebabCase(field)}=x`),
      ]
      for (const [field, [text, value]] of values) {
        const request = await apiRequest(route, [...params, ...needed, `--${kebabCase(field)}=${text}`], noStdin)
        expect(request.body?.[field]).toEqual(value)
      }
      for (const { field, flag } of queryFlags(route)) {
        const request = await apiRequest(route, [...params, ...needed, `--${flag.name}=1`], noStdin)
        expect(request.query.get(field)).toBe(flag.type === "boolean" ? "true" : "1")
      }
      if (route.body) {
        const whole = Object.fromEntries([...values].map(([field, [, value]]) => [field, value]))
        expect(
          (
            await apiRequest(
              route,
              [
                ...params,
                ...requiredQuery(route).map((field) => `--${kebabCase(field)}=x`),
                "--body",
                JSON.stringify(whole),
              ],
              noStdin,
            )
          ).body,
        ).toEqual(whole)
      }
      const segments = params.map((name) => `a/${name} ?`)
      const { path } = await apiRequest(route, [...segments, ...needed], noStdin)
      expect(path.split("/")).toHaveLength(route.path.split("/").length)
      for (const segment of segments) expect(path).toContain(encodeURIComponent(segment))
      if (params.length > 0) await expect(apiRequest(route, params.slice(1), noStdin)).rejects.toThrow("missing <")
    },
  )

  test("no two commands have the same words, and no field hides a common flag", () => {
    const words = routes.flatMap((route) => [route.cli, ...(route.cliAliases ?? [])].map((w) => w.join(" ")))
    expect(new Set(words).size).toBe(words.length)
    for (const route of routes) {
      const names = routeFlags(route).map((flag) => flag.name)
      expect(new Set(names).size).toBe(names.length)
      for (const flag of connectionFlags) expect(names.filter((name) => name === flag.name)).toHaveLength(1)
      expect(names).not.toContain("help")
    }
  })

  test("a field that may be an argument is one", () => {
    for (const route of routes.filter((r) => r.cliArgument))
      expect(commandOf(route).arguments).toHaveLength(
        pathParameters(route).length + (route.cliOperands?.length ?? 0) + (route.cliArguments ? 2 : 1),
      )
  })
})

test("flags and arguments are the same after an OpenAPI document was made in this process", () => {
  const reported = () => routes.map((route) => [commandOf(route).arguments, commandOf(route).flags])
  const before = reported()
  buildOpenApi("1.0.0")
  expect(reported()).toEqual(before)
})

describe("values", () => {
  test("operands in their order, those that have flags by these", async () => {
    const moved = { from: "/a", to: "/b" }
    for (const words of [
      ["/a", "/b"],
      ["--to", "/b", "/a"],
      ["--from=/a", "/b"],
      ["--from=/a", "--to=/b"],
    ])
      expect((await ask("moveFsEntry", ...words)).body).toEqual(moved)
    expect((await ask("chmodFsEntry", "755", "/a", "--recursive")).body).toEqual({
      mode: "755",
      path: "/a",
      recursive: true,
    })
    await expect(ask("moveFsEntry", "/a")).rejects.toThrow("missing <to>")
    await expect(ask("moveFsEntry", "/a", "/b", "/c")).rejects.toThrow("<to> is one argument")
    const server = await ask("setMcpConfig", "probe", "--type", "local", "--command", "node")
    expect([server.query.get("mcpName"), server.body]).toEqual(["probe", { type: "local", command: "node" }])
  })

  test("the trailing argument", async () => {
    expect((await ask("postMessage", "s", "hello there")).body).toEqual({ message: "hello there" })
    expect((await ask("forkSession", "s", "t", "--at-sequence", "4")).body).toEqual({ id: "t", atSequence: 4 })
    expect((await ask("replyPermission", "s", "p", "always")).body).toEqual({ reply: "always" })
    await expect(ask("replyPermission", "s", "p", "maybe")).rejects.toThrow("once, always, reject")
    await expect(ask("postMessage", "s", "hello", "there")).rejects.toThrow("quotes")
    expect((await ask("runProcess", "--cwd", "/", "--", "npm", "test", "--", "-x")).body).toEqual({
      cwd: "/",
      command: "npm",
      args: ["test", "--", "-x"],
    })
    await expect(ask("postMessage", "s")).rejects.toThrow("missing <message>")
    await expect(ask("getSession", "s", "t")).rejects.toThrow("unexpected argument `t`")
  })

  test("a dash reads text from stdin, and only text", async () => {
    const stdin = () => Promise.resolve("from stdin\n")
    expect((await apiRequest(contract.postMessage, ["s", "-"], stdin)).body).toEqual({ message: "from stdin\n" })
    expect(
      (await apiRequest(contract.postMessage, ["s", "--body", "-"], () => Promise.resolve('{"message":"m"}'))).body,
    ).toEqual({ message: "m" })
    await expect(apiRequest(contract.replyPermission, ["s", "p", "-"], stdin)).rejects.toThrow("allowed")
  })

  test("answers: JSON, or one argument per question", async () => {
    expect((await ask("replyQuestion", "s", "q", '[["Red"],[]]')).body).toEqual({ answers: [["Red"], []] })
    expect((await ask("replyQuestion", "s", "q", "Red", "Yes, No")).body).toEqual({ answers: [["Red"], ["Yes", "No"]] })
    expect((await ask("replyQuestion", "s", "q", "--answers", '[["a,b"]]')).body).toEqual({ answers: [["a,b"]] })
    await expect(ask("replyQuestion", "s", "q", "[broken")).rejects.toThrow("not JSON")
  })

  test("flags go on top of --body; files stand behind @", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "body.json")
    writeFileSync(file, '{"agent":"a","title":"from file"}')
    expect((await ask("createSession", "s", "--body", `@${file}`, "--title", "t")).body).toEqual({
      agent: "a",
      title: "t",
    })
    writeFileSync(file, '{"k":1}')
    expect((await ask("createSession", "s", "--agent=a", "--metadata", `@${file}`)).body?.metadata).toEqual({ k: 1 })
    await expect(ask("createSession", "s", "--body", "@/no/such/place")).rejects.toThrow("ENOENT")
    await expect(ask("createSession", "s", "--body", "[1]")).rejects.toThrow("JSON object")
    await expect(ask("createSession", "s", "--body", "{")).rejects.toThrow("not JSON")
  })

  test("environment entries repeat", async () => {
    const { body } = await ask("createSession", "s", "--agent=a", "--env", "A=1", "--env=B=x=y", "--env", '{"C":"3"}')
    expect(body?.env).toEqual({ A: "1", B: "x=y", C: "3" })
    await expect(ask("createSession", "s", "--agent=a", "--env", "A")).rejects.toThrow("NAME=VALUE")
  })

  test("what is of the wrong type is refused here", async () => {
    await expect(ask("forkSession", "s", "t", "--at-sequence", "x")).rejects.toThrow("--at-sequence")
    await expect(ask("createSession", "s", "--agent=a", "--permission-mode=no")).rejects.toThrow("acceptEdits")
    await expect(ask("forkSession", "s")).rejects.toThrow("missing <new-id>")
    await expect(ask("createSession", "s", "--agnet=a")).rejects.toThrow("did you mean `--agent`")
    await expect(ask("getSession", "..")).rejects.toThrow("<id> cannot be")
    await expect(ask("getSession", "")).rejects.toThrow("<id> cannot be")
  })
})
