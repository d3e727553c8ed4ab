import { spawn, spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { full } from "@sandbox-agent/test-agents/extent"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import { afterAll, beforeAll, expect, test } from "vitest"
import { referencePage } from "../scripts/reference.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { E2bEdge, e2bFile } from "./sandbox/e2b-edge.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const work = mkdtempSync(join(tmpdir(), "sandbox-agent-package-"))
const modules = join(work, "app/node_modules")
const dist = join(work, "dist")
let daemon: TestDaemon

/** Resolved with a real Node: `bun --bun` puts one of its own before it. */
const env = {
  ...process.env,
  PATH: (process.env.PATH ?? "")
    .split(":")
    .filter((folder) => !folder.includes("bun-node"))
    .join(":"),
}
const run = (program: string, args: string[], cwd = join(work, "app")) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8" })
  return { status, output: stdout + stderr }
}

beforeAll(async () => {
  mkdirSync(modules, { recursive: true })
  const starting = TestDaemon.start()
  for (const [script, to] of [
    ["../acp-http-client/scripts/build.ts", join(modules, "acp-http-client")],
    ["scripts/build.ts", dist],
  ] as const) {
    const { status, output } = run(process.execPath, [join(root, script), to])
    if (status !== 0) throw new Error(output)
  }
  // Its folder holds sources, which Node cannot load.
  expect(run("npm", ["pack", "--pack-destination", work, root]).output).toContain("npm pack ./dist")
  expect(run("npm", ["pack", "--pack-destination", work, dist]).status).toBe(0)
  const archive = readdirSync(work).find((name) => name.endsWith(".tgz")) ?? ""
  expect(run("tar", ["xzf", join(work, archive), "-C", work]).status).toBe(0)
  cpSync(join(work, "package"), join(modules, "sandbox-agent"), { recursive: true })
  for (const name of ["modern-tar", "ws"])
    cpSync(join(root, "../../node_modules", name), join(modules, name), { recursive: true })
  daemon = await starting
}, 120_000)
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]()
  rmSync(work, { recursive: true, force: true })
})

/** All that was fetched with a package, where it is not there already. */
function linkPackages(file: string, to: string): void {
  const from = file.slice(0, file.lastIndexOf("/node_modules/") + "/node_modules".length)
  for (const name of readdirSync(from).filter((one) => !one.startsWith(".")))
    if (!existsSync(join(to, name))) symlinkSync(join(from, name), join(to, name))
}

/** Every declaration that somebody who imports the package can see. */
function surface(): string[] {
  const seen = new Set<string>()
  const walk = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const text = readFileSync(join(dist, file), "utf8")
    for (const [, to = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.js"/g))
      walk(join(dirname(file), `${to}.d.ts`))
  }
  for (const entry of [
    "sandbox-agent",
    "react/react",
    "store/ingest",
    "store/memory",
    "store/sqlite",
    "store/postgres",
    "store/indexeddb",
    "sandbox/local",
    "sandbox/docker",
    "sandbox/e2b",
    "sandbox/vercel",
    "sandbox/daytona",
    "sandbox/cloudflare",
  ])
    walk(`${entry}.d.ts`)
  return [...seen]
}

test("no word and no type of the agents' protocol is in the public surface", () => {
  const files = surface()
  expect(files.length).toBeGreaterThan(10)
  const words =
    /\bacp\b|acp[-_A-Z]|\bAcp|json-?rpc|jsonrpc|_sandboxagent\/|_meta\b|Agent Client Protocol|\/v\d\/rpc|sessionUpdate\b/i
  const found = files.flatMap((file) =>
    readFileSync(join(dist, file), "utf8")
      .split("\n")
      .flatMap((line) => (words.test(line) ? [`${file}: ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})

test("declarations stand by themselves: whoever checks them needs nothing of ours or of Node", () => {
  const use = [
    'import { SandboxAgentClient, type Event } from "sandbox-agent"',
    ...Object.keys(sizes)
      .filter((entry) => entry !== "sandbox-agent/react")
      .map((entry, at) => `import * as entry${at} from "${entry}"\nexport { entry${at} }`),
    'const client = new SandboxAgentClient({ autoConnect: false, baseUrl: "http://127.0.0.1" })',
    "export async function texts(id: string): Promise<string[]> {",
    "  const found: string[] = []",
    "  for await (const event of client.streamEvents(id))",
    '    if (event.type === "item.delta") found.push(event.data.delta)',
    "  return found",
    "}",
    'export const wrong = (event: Extract<Event, { type: "error" }>): string => event.data.message',
  ]
  writeFileSync(join(work, "app/use.ts"), use.join("\n"))
  const tsc = join(root, "../../node_modules/typescript/bin/tsc")
  for (const resolution of [
    ["--module", "nodenext"],
    ["--module", "preserve"],
  ]) {
    const flags = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,esnext.disposable", "--types", ""]
    const { output, status } = run("node", [tsc, ...flags, ...resolution, "use.ts"])
    expect(output).toBe("")
    expect(status).toBe(0)
  }
})

test("the reference is what is published: npm run docs", () => {
  const page = readFileSync(join(root, "../../docs/sdks/typescript/reference.mdx"), "utf8")
  expect(page).toBe(referencePage(dist))
  for (const name of [
    "SandboxAgentClient",
    "Session",
    "restoreStored",
    "IndexedDbStore",
    "useTranscript",
    "ProblemError",
  ])
    expect(page).toContain(`<code>${name}</code>`)
  expect(page).not.toContain(".gen.ts")
})

test("a bundle for the browser holds nothing of Node", () => {
  const out = join(work, "bundle.js")
  const entries = [
    "sandbox-agent",
    "sandbox-agent/cloudflare",
    ...["store", "store/memory", "store/sqlite", "store/postgres", "store/indexeddb"].map(
      (name) => `sandbox-agent/${name}`,
    ),
  ]
  writeFileSync(join(work, "app/page.js"), entries.map((name) => `export * from "${name}"`).join("\n"))
  const { status, output } = run(process.execPath, ["build", "page.js", "--target=browser", `--outfile=${out}`])
  expect(status, output).toBe(0)
  const foreign = /\bnode:|\brequire\(|\bprocess\.(?!\w+\()|\bBuffer\b|\bBun\.|\b__dirname\b|setImmediate|\.unref\(/
  expect(foreign.exec(readFileSync(out, "utf8"))?.[0]).toBeUndefined()
})

/** What needs more of a runtime than requests: streams that are sent, files, a WebSocket. */
const hosting = `
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { inspect } from "node:util"
import { SandboxAgentClient } from "sandbox-agent"
const client = new SandboxAgentClient({ autoConnect: false, baseUrl: process.env.URL, token: process.env.TOKEN })
const folder = process.env.FOLDER
mkdirSync(folder + "/from", { recursive: true })
writeFileSync(folder + "/from/file", "there and back")
await client.fs.upload(folder + "/from", folder + "/there")
await client.fs.download(folder + "/there", folder + "/back")
await client.fs.download(folder + "/there/file", folder + "/one")
const { stdout } = await client.run("cat; echo over", { input: "typed " })
const terminal = await client.terminals.open({ shell: "echo on a screen; exit 4" })
let screen = ""
terminal.onData((bytes) => void (screen += new TextDecoder().decode(bytes)))
const { exitCode } = await terminal.exited
const refused = await client.fs.upload(folder + "/nothing", folder).catch((error) => error.kind)
const files = ["/back/file", "/one"].map((name) => readFileSync(folder + name, "utf8"))
const token = () => "se\\ncret"
const unsendable = await new SandboxAgentClient({ autoConnect: false, baseUrl: process.env.URL, token }).listAgents().catch((error) => error)
const hidden = unsendable.kind === "argument" && !inspect(unsendable).includes("cret")
console.log(JSON.stringify({ files, stdout, exitCode, shown: screen.includes("on a screen"), refused, hidden }))
`

test.each(["node", process.execPath])("files, programs and terminals, on %s", (program) => {
  writeFileSync(join(work, "app/hosting.mjs"), hosting)
  const name = program === "node" ? "node" : "bun"
  const { status, stdout, stderr } = spawnSync(program, ["hosting.mjs"], {
    cwd: join(work, "app"),
    env: { ...env, URL: daemon.baseUrl, TOKEN: token, FOLDER: join(work, `host-${name}`) },
    encoding: "utf8",
  })
  expect(stderr).toBe("")
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    files: ["there and back", "there and back"],
    stdout: "typed over\n",
    exitCode: 4,
    shown: true,
    refused: "argument",
    hidden: true,
  })
})

/** As an application has it: the package of the provider beside ours, on a real Node. */
test("a provider finds the package of its vendor in the application", async () => {
  await using edge = await new E2bEdge().listen()
  linkPackages(e2bFile, modules)
  const use = `
import { SandboxAgentClient } from "sandbox-agent"
import { e2b } from "sandbox-agent/e2b"
const sandbox = e2b({ apiKey: "wrong", options: { apiUrl: process.env.URL } })
await SandboxAgentClient.start({ sandbox }).catch((error) => console.log(error.kind, error.code, error.message))`
  writeFileSync(join(work, "app/vendor.mjs"), use)
  const child = spawn("node", ["vendor.mjs"], { cwd: join(work, "app"), env: { ...env, URL: edge.url } })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes) => {
      said += bytes
    })
  await new Promise((resolve) => child.on("close", resolve))
  expect(said).toMatch(/^sandbox unauthorized e2b: Starting a sandbox: .*Invalid API key/)
})

const checkers = {
  publint: { name: "publint-0.3.25", spec: "publint@0.3.25", file: "publint/src/cli.js" },
  attw: { name: "attw-0.18.5", spec: "@arethetypeswrong/cli@0.18.5", file: "@arethetypeswrong/cli/dist/index.js" },
}

test("publint finds nothing in what is published", () => {
  const { output } = run("node", [fetched(checkers.publint), "run", dist, "--strict", "--pack", "false"])
  expect(output).toContain("All good!")
}, 240_000)

test.skipIf(!full)(
  "are-the-types-wrong finds nothing in the packed package",
  () => {
    const archive = join(work, readdirSync(work).find((name) => name.endsWith(".tgz")) ?? "")
    const words = [archive, "--profile", "esm-only", "--no-emoji", "--no-color"]
    const { status, output } = run("node", [fetched(checkers.attw), ...words])
    expect(status, output).toBe(0)
    expect(output.match(/\(from ESM\): OK \(ESM\)/g)).toHaveLength(Object.keys(sizes).length)
  },
  240_000,
)

/** KiB of each entry with all it needs, minified and packed; React and the packages of providers are the application's own. */
const sizes: Record<string, number> = {
  "sandbox-agent": 33,
  "sandbox-agent/react": 1,
  "sandbox-agent/store": 7,
  "sandbox-agent/store/memory": 3,
  "sandbox-agent/store/sqlite": 4,
  "sandbox-agent/store/postgres": 6,
  "sandbox-agent/store/indexeddb": 4,
  "sandbox-agent/local": 1,
  "sandbox-agent/docker": 9,
  "sandbox-agent/e2b": 8,
  "sandbox-agent/vercel": 8,
  "sandbox-agent/daytona": 8,
  "sandbox-agent/cloudflare": 8,
}

test.each(Object.entries(sizes))("%s stays below %d KiB", async (entry, limit) => {
  const file = join(work, "app/entry.js")
  writeFileSync(file, `export * from "${entry}"`)
  const built = await Bun.build({
    entrypoints: [file],
    target: "browser",
    minify: true,
    external: ["react", "e2b", "@daytona/sdk", "@vercel/sandbox"],
  })
  const code = (await built.outputs[0]?.arrayBuffer()) ?? expect.unreachable("nothing was built")
  const size = gzipSync(new Uint8Array(code)).length / 1024
  expect(size).toBeGreaterThan(0.1)
  expect(size).toBeLessThan(limit)
})
