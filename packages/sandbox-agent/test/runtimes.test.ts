import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fetched, isMusl } from "@sandbox-agent/test-agents/fetched"
import { chromium } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { workerdProgram } from "../../acp-http-client/test/servers/npm-program.ts"
import { startProcess } from "../../acp-http-client/test/servers/process.ts"
import { packageOf, platforms, writePlatformPackage } from "../scripts/platforms.ts"
import { platformPackages } from "../src/embedded/executable.ts"
import { chromiumProgram } from "./harness/chromium.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { writeExecutable } from "./harness/executable.ts"
import { proxyHeaders, startKeyedProxy } from "./harness/keyed-proxy.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const work = mkdtempSync(join(tmpdir(), "sandbox-agent-runtimes-"))
const app = join(work, "app")
let daemon: TestDaemon
let proxy: { url: string; stop(): void }
let site: { url: string; stop(): void }

/** Resolved with a real Node: `bun --bun` puts one of its own before it. */
const PATH = (process.env.PATH ?? "")
  .split(":")
  .filter((folder) => !folder.includes("bun-node"))
  .join(":")
const env = { ...process.env, PATH, XDG_DATA_HOME: join(work, "data"), DENO_DIR: join(work, "deno") }
function run(program: string, args: string[], cwd = app): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8" })
  expect(status, `${program} ${args.join(" ")}\n${stdout}${stderr}`).toBe(0)
  return stdout
}

const platform = `${process.platform}-${process.arch}`
const deno = () => {
  const name = `@deno/${platform}${process.platform === "linux" ? "-glibc" : ""}`
  return fetched({ name: "deno-2.9.5", spec: `${name}@2.9.5`, file: `${name}/deno` })
}
const node = (version: string) => {
  const name = `node-${platform}`
  return fetched({ name: `node-${version}`, spec: `${name}@${version}`, file: `${name}/bin/node` })
}

/** Pages of another address than the daemon's. */
async function startSite() {
  const server = createServer((request, answer) => {
    const path = new URL(request.url ?? "/", "http://site").pathname
    const file = join(app, "dist", path === "/" ? "index.html" : path)
    if (!existsSync(file)) return answer.writeHead(404).end()
    answer.setHeader("content-type", file.endsWith(".js") ? "text/javascript" : "text/html")
    answer.end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, stop: () => server.close() }
}

/** What is published, packed, and installed into an empty project. */
beforeAll(async () => {
  site = await startSite()
  const starting = TestDaemon.start("--cors-allow-origin", site.url)
  mkdirSync(app)
  writeFileSync(join(app, "package.json"), '{"private":true,"type":"module"}')
  for (const [script, folder] of [
    ["../acp-http-client/scripts/build.ts", join(work, "acp-http-client")],
    ["scripts/build.ts", join(work, "sandbox-agent")],
  ] as const) {
    run(process.execPath, [join(root, script), folder], root)
    run("npm", ["pack", "--pack-destination", work, folder])
  }
  const own = platforms.find((platform) => packageOf(platform) === platformPackages()[0])
  if (own !== undefined) {
    writeExecutable(join(work, "executable"))
    writePlatformPackage(own, join(work, "executable"), join(work, "platform"))
    run("npm", ["pack", "--pack-destination", work, join(work, "platform")])
  }
  const packed = readdirSync(work).filter((name) => name.endsWith(".tgz"))
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline"]
  run("npm", ["install", ...quiet, ...packed.map((name) => join(work, name))])
  cpSync(join(root, "test/runtimes"), app, { recursive: true })
  daemon = await starting
  proxy = await startKeyedProxy(daemon.baseUrl)
}, 300_000)
afterAll(async () => {
  site?.stop()
  proxy?.stop()
  await daemon?.[Symbol.asyncDispose]()
  rmSync(work, { recursive: true, force: true })
})

const given = () => ({
  baseUrl: daemon.baseUrl,
  token,
  directory: daemon.home,
  proxy: { baseUrl: proxy.url, headers: proxyHeaders },
})
const expected = {
  first: { text: "hello from here", stopReason: "end_turn" },
  called: "end_turn",
  listed: ["Mine", 42],
  asked: "end_turn",
  whole: true,
  items: true,
  file: "there and back",
  ran: "typed over\n",
  terminal: [4, true],
  proxied: 5,
  restored: "rebuilt",
  errors: ["session_not_found", "payload_too_large", "token_invalid", "aborted", "timeout", "not_connected"],
}

test("of the executables, which are optional, the one of this platform is installed", () => {
  const { optionalDependencies } = JSON.parse(
    readFileSync(join(app, "node_modules/sandbox-agent/package.json"), "utf8"),
  )
  expect(Object.keys(optionalDependencies)).toEqual(platforms.map(packageOf))
  expect(new Set(Object.values(optionalDependencies))).toEqual(new Set(["0.1.0"]))
  expect(optionalDependencies).toHaveProperty(platformPackages()[0] ?? "")
  expect(readdirSync(join(app, "node_modules/@sandbox-agent"))).toEqual([platformPackages()[0]?.split("/")[1]])
})

const programs: Record<string, () => string[]> = {
  "Node 20": () => ["node"],
  Bun: () => [process.execPath],
  Deno: () => [deno(), "run", "--allow-all", "--node-modules-dir=manual", "--no-lock"],
}
test.for(Object.keys(programs))(
  "the packed package in an empty project, on %s",
  { timeout: 300_000 },
  async (name, { skip }) => {
    if (name === "Deno" && isMusl) return skip("Deno has no build for musl")
    const [program = "", ...args] = programs[name]?.() ?? []
    // Beside this process, which has the proxy.
    const child = Bun.spawn([program, ...args, "program.mjs", JSON.stringify(given())], {
      cwd: app,
      env,
      stderr: "pipe",
    })
    const [printed, said] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect([await child.exited, said]).toEqual([0, ""])
    expect(JSON.parse(printed)).toEqual({ ...expected, own: "ok" })
  },
)

test("in workerd, the runtime of Workers", { timeout: 300_000 }, async ({ skip }) => {
  if (isMusl) return skip("workerd has no build for musl")
  const built = await Bun.build({
    entrypoints: [join(app, "worker.js")],
    conditions: ["workerd", "worker"],
    target: "browser",
    outdir: join(work, "worker"),
  })
  expect(built.success).toBe(true)
  cpSync(join(app, "worker.capnp"), join(work, "worker/worker.capnp"))
  // Its port is told as a line of JSON on the descriptor given.
  const args = ["serve", join(work, "worker/worker.capnp"), "--control-fd=1"]
  await using workerd = await startProcess([workerdProgram(), ...args], { says: /"port":\s*(\d+)/ })
  const answer = await fetch(`http://127.0.0.1:${workerd.url}/`, { method: "POST", body: JSON.stringify(given()) })
  expect(await answer.json()).toEqual(expected)
})

test("in Chromium, through Vite, from another address than the daemon's", { timeout: 300_000 }, async ({ skip }) => {
  const program = await chromiumProgram()
  if (program === undefined) return skip("no Chromium for this machine")
  writeFileSync(join(app, "index.html"), '<script type="module" src="/page.js"></script>')
  run("node", [join(root, "../../node_modules/vite/bin/vite.js"), "build", "--logLevel", "error"])
  const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] })
  try {
    const page = await browser.newPage()
    await page.goto(site.url)
    await page.waitForFunction("window.scenario !== undefined")
    // The one runtime whose WebSocket has no headers.
    const proxied = ["HeadersNotSentError", ["x-proxy-key"]]
    expect(await page.evaluate(`window.scenario(${JSON.stringify(given())})`)).toEqual({ ...expected, proxied })
  } finally {
    await browser.close()
  }
})

test.for(["Node 24", "Deno"])("a store in node:sqlite, on %s", { timeout: 300_000 }, (name, { skip }) => {
  if (isMusl) return skip("no build for musl")
  const program = name === "Deno" ? (programs.Deno?.() ?? []) : [node("24.21.0"), "--no-warnings"]
  const printed = run(program[0] ?? "", [...program.slice(1), "sqlite.mjs", JSON.stringify(given())])
  expect(JSON.parse(printed)).toEqual({ whole: true, found: true })
})
