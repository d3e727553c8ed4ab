import { readFileSync } from "node:fs"
import { join } from "node:path"
import { contract, routes } from "@sandbox-agent/schema/contract/contract"
import { mounted, terminalSockets } from "@sandbox-agent/schema/contract/mounted"
import { errors } from "@sandbox-agent/schema/error"
import { eventTypes } from "@sandbox-agent/schema/event"
import { buildOpenApi } from "@sandbox-agent/schema/openapi"
import { names } from "@sandbox-agent/schema/openapi/names"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { apiCommands } from "../../src/cli/api-commands.ts"
import { builtinCommands } from "../../src/cli/commands.ts"
import { version } from "../../src/cli/version.ts"
import { root, scratch } from "../harness/daemon.ts"
import { type CheckedApi, type CheckedDaemon, startChecked } from "./checked-api.ts"
import { rawHttp } from "./raw-http.ts"
import { ofType } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

/** The contract, and what faces answer by themselves. */
const byName = (a: string, b: string): number => a.localeCompare(b)
const paths = [...routes, ...mounted, ...terminalSockets].flatMap((route) =>
  [route.path, ...(route.alsoAt ?? [])].map((path) => ({ route, path })),
)
interface Document {
  openapi: string
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
}

describe("what is served", () => {
  test.each(paths.map(({ route, path }) => [`${route.method} ${path}`, route, path] as const))(
    "%s is a route",
    async (_, route, path) => {
      // A stream would not end: asked for as JSON it says 406, and that is an answer of the route.
      const headers = { ...daemon.api.headers, accept: "application/json" }
      const at = path.replaceAll(/\{\w+\}/g, "some")
      const { status, body } = await rawHttp(daemon.url, { method: route.method, path: at, headers })
      expect(status).not.toBe(405)
      if (status === 404) expect(body).not.toMatchObject({ detail: expect.stringContaining("nothing at") })
    },
  )

  test("is documented, path by path and method by method", async () => {
    const { paths: documented, openapi } = await daemon.api.ok<Document>("GET", "/openapi.json")
    expect(openapi).toBe("3.1.0")
    const reported = Object.entries(documented).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(reported.sort()).toEqual(paths.map(({ route, path }) => `${route.method} ${path}`).sort())
  })

  test("no method is served that is not documented", async () => {
    const headers = daemon.api.headers
    for (const path of new Set(paths.map((at) => at.path))) {
      // A message may be called `stream`, a process `run`, and its address is then that of another route.
      const asId = (name: RegExp, id: string) => path.replace(name, `/${id}`)
      const same = [path, asId(/(?<=messages)\/stream/, "{messageId}"), asId(/(?<=processes)\/(run|config)$/, "{id}")]
      const found = paths.filter((at) => same.includes(at.path)).map((at) => at.route.method as string)
      const known = [...new Set(found)]
      const at = path.replaceAll(/\{\w+\}/g, "some")
      const { status } = await fetch(daemon.url + at, { method: "HEAD", headers })
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((name) => !known.includes(name))) {
        const answer = await rawHttp(daemon.url, { method, path: at, headers })
        expect([method, path, answer.status]).toEqual([method, path, 405])
        const allowed = new Set([...known, ...(status === 405 ? [] : ["HEAD"])])
        const said = answer.headers.get("allow")?.split(", ").toSorted(byName)
        expect([path, said]).toEqual([path, [...allowed].toSorted(byName)])
      }
    }
  })

  test("docs/openapi.json is what the contract says now", () => {
    const written = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8"))
    expect(written, "docs/openapi.json is old: run `npm run docs`").toEqual(
      JSON.parse(JSON.stringify(buildOpenApi(version))),
    )
  })

  test("the reference page has every endpoint, event type and error", async () => {
    const { body } = await daemon.api.call<string>("GET", "/docs")
    for (const { id } of [...routes, ...mounted, ...terminalSockets]) expect(body).toContain(`id="${id}"`)
    for (const word of [...eventTypes, ...Object.keys(errors)]) expect(body).toContain(`<code>${word}</code>`)
    for (const name of Object.keys(names)) expect(body).toContain(`id="${name}"`)
    for (const [, name] of body.matchAll(/href="#([^"]+)"/g)) expect(body).toContain(`id="${name}"`)
    // One script, which the policy knows by its hash, and nothing from elsewhere.
    expect(body.match(/<script/g)).toEqual(["<script"])
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//)
  })
})

describe("the command line", () => {
  test("has a command for every route, with words of its own", () => {
    expect(apiCommands.map((command) => command.words)).toEqual(routes.map((route) => route.cli))
    const words = [...apiCommands, ...builtinCommands].flatMap((command) => [command.words, ...(command.aliases ?? [])])
    const texts = words.map((parts) => parts.join(" "))
    // One command installs; without `api` in front its other name means it as well.
    expect(texts.filter((text, i) => texts.indexOf(text) !== i)).toEqual(["agents install"])
  })

  test("takes every path parameter as an argument and every field as a flag", () => {
    routes.forEach((route, i) => {
      const command = apiCommands[i]
      const names = command?.flags.map((flag) => flag.name) ?? []
      expect(new Set(names).size, route.id).toBe(names.length)
      const params = [...route.path.matchAll(/\{(\w+)\}/g)].length
      expect(command?.arguments.length, route.id).toBe(
        params +
          [...(route.cliOperands ?? []), route.cliArgument, route.cliArguments].filter((field) => field !== undefined)
            .length,
      )
      for (const name of Object.keys(route.query ?? {}))
        expect(names, route.id).toContain(name.replaceAll(/_|(?=[A-Z])/g, "-").toLowerCase())
    })
  })
})

/** Every endpoint of files, once. */
async function files(api: CheckedApi): Promise<void> {
  const folder = scratch()
  const at = (name: string) => encodeURIComponent(join(folder, name))
  await api.ok("POST", `/v1/fs/mkdir?path=${at("made")}`)
  await api.ok("PUT", `/v1/fs/file?path=${at("made/file")}`, "text")
  for (const version of ["v1", "v2"]) await api.ok("GET", `/${version}/fs/stat?path=${at("made/file")}`)
  expect((await api.call("GET", `/v1/fs/file?path=${at("made/file")}`)).body).toBe("text")
  await api.call("HEAD", `/v1/fs/file?path=${at("made/file")}`)
  await api.ok("POST", "/v1/fs/chmod", { path: join(folder, "made/file"), mode: "0600" })
  await api.ok("POST", "/v1/fs/copy", { from: join(folder, "made/file"), to: join(folder, "copy") })
  await api.ok("POST", "/v1/fs/move", { from: join(folder, "copy"), to: join(folder, "moved") })
  await api.ok("GET", `/v1/fs/entries?path=${at("")}&depth=2`)
  const archive = await fetch(`${api.url}/v1/fs/archive?path=${at("")}`, { headers: api.headers })
  const packed = Buffer.from(await archive.arrayBuffer()).toString("latin1")
  await api.call("GET", `/v1/fs/archive?path=${at("")}`)
  await api.ok("POST", `/v1/fs/upload-batch?path=${at("again")}`, packed)
  await api.ok("DELETE", `/v1/fs/entry?path=${at("")}&recursive=true`)
}

/** Every endpoint of the config of directories, once. */
async function config(api: CheckedApi): Promise<void> {
  const folder = encodeURIComponent(scratch())
  const at = (kind: string, name: string) => `/v1/config/${kind}?directory=${folder}${name}`
  for (const [kind, name, body] of [
    ["mcp", "&mcpName=one", { type: "remote", url: "http://127.0.0.1/", headers: { a: "b" }, oauth: null }],
    ["skills", "&skillName=one", { sources: [{ type: "local", source: "/x", skills: ["a"] }] }],
  ] as const) {
    expect((await api.call("PUT", at(kind, name), body)).status).toBe(204)
    for (const asked of ["", name]) await api.ok("GET", at(kind, asked))
    expect((await api.call("DELETE", at(kind, name))).status).toBe(204)
  }
}

describe("a scenario over all endpoints", () => {
  test("every answer is what its route declares, every event what its type declares", async () => {
    const { api } = daemon
    const id = "/v1/sessions/all"
    for (const path of [
      "/v1/health",
      "/v2/health",
      "/v1/agents",
      "/v2/agents",
      "/v1/agents/mock",
      "/v1/agents/mock/modes",
      "/v1/agents/mock/models",
      "/docs",
      "/metrics",
      "/openapi.json",
      "/v1/acp",
    ])
      await api.call("GET", path)
    for (const version of ["v1", "v2"]) await api.call("POST", `/${version}/agents/mock/install`, {})
    const made = await api.ok<{ session: { id: string } }>("POST", "/v1/sessions", { agent: "mock" })
    await api.ok("DELETE", `/v1/sessions/${made.session.id}`)
    await api.create("all", { title: "t", metadata: { a: 1 }, model: "mock-large", variant: "low" })
    await api.send("all", "/sleep 60000", { messageId: "sleeper" })
    await api.asleep("all")
    await api.send("all", "queued", { messageId: "queued" })
    await api.ok("GET", id)
    await api.ok("DELETE", `${id}/messages/queued`)
    await api.ok("POST", `${id}/cancel`, { queue: true, background: true })

    const data = { data: "aGVsbG8=", filename: "a.txt", mime: "text/plain" }
    const script =
      "text\n/think t\n/tool T {}\n/edit f x\n/run true\n/todo\n/usage\n/subagent\n/image\n/title T\n/unknown\n/garbage\n/error e"
    await api.ok("PATCH", id, { permissionMode: "bypass" })
    await api.turn("all", script, { attachments: [data] })
    await api.ok("PATCH", id, { permissionMode: "default" })
    const hash = new Bun.CryptoHasher("sha256").update("hello").digest("hex")
    expect((await api.call("GET", `${id}/blobs/${hash}`)).body).toBe("hello")

    const asking = api.turn("all", "/permission true\n/question\n/questions")
    const { permission_id } = await api.permission("all")
    await api.ok("GET", `${id}/pending`)
    await api.ok("POST", `${id}/permissions/${permission_id}/reply`, { reply: "once" })
    const first = await api.until("all", "question.requested")
    await api.ok("POST", `${id}/questions/${first.data.question_id}/reply`, { answers: [["Red"]] })
    const second = await api.question("all", first.sequence)
    await api.ok("POST", `${id}/questions/${second.question_id}/reject`)
    await asking
    await api.ok("GET", `${id}/native-state`)

    await api.ok("PATCH", id, { title: "new", permissionMode: "bypass" })
    await api.turn("all", "/crash 3")
    await api.ok("POST", `${id}/fork`, { id: "all-fork" })
    await api.ok("POST", "/v1/sessions/all-restored/restore", { agent: "mock", items: [] })
    await api.ok("GET", "/v1/sessions?limit=1")
    await api.items("all")
    await api.ok("POST", `${id}/terminate`)
    await api.ok("POST", `${id}/resume`)
    const events = await api.events("all", "&include_raw=true")
    await files(api)
    await config(api)
    await api.ok("DELETE", id)

    await api.ok("POST", "/v1/tickets/redeem", {
      ticket: (await api.ok<{ ticket: string }>("POST", "/v1/tickets")).ticket,
    })
    await api.ok("POST", "/v1/processes/config", await api.ok("GET", "/v1/processes/config"))
    await api.ok("POST", "/v1/processes/run", { command: "echo", args: ["hi"] })
    const { id: running } = await api.ok<{ id: string }>("POST", "/v1/processes", { command: "cat" })
    const process = `/v1/processes/${running}`
    await api.ok("POST", `${process}/input`, { data: "aGkK" })
    await api.ok("POST", `${process}/signal`, { signal: "SIGCONT" })
    for (const path of ["/v1/processes", process, `${process}/logs`, `${process}/wait?waitMs=1`])
      await api.ok("GET", path)
    await api.ok("POST", `${process}/stop`)
    await api.ok("POST", `${process}/kill`)
    expect((await api.call("DELETE", process)).status).toBe(204)
    const { id: shown } = await api.ok<{ id: string }>("POST", "/v1/terminals", { command: "cat" })
    const terminal = `/v1/terminals/${shown}`
    for (const path of ["/v1/terminals", terminal]) await api.ok("GET", path)
    await api.ok("POST", `${terminal}/resize`, { cols: 100, rows: 30 })
    await api.ok("POST", `${terminal}/ticket`)
    expect((await api.call("DELETE", terminal)).status).toBe(204)

    // The two streams that do not end are driven in files of their own.
    const silent = Object.keys(contract).filter((route) => !api.served.has(route))
    expect(silent).toEqual(["streamGlobalEvents", "watchFs", "searchFs"])
    const seen = new Set(events.map((event) => event.type))
    // Only ACP agents have lines without universal meaning.
    expect(eventTypes.filter((type) => !seen.has(type))).toEqual(["agent.native"])
    expect(ofType(events, "session.started").length).toBe(2)
  })
})
