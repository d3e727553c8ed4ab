import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
const work = mkdtempSync(join(tmpdir(), "acp-http-client-package-"))
const dist = join(work, "node_modules/acp-http-client")
const run = (program: string, args: string[], cwd = work) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" })
  return { status, output: stdout + stderr }
}

beforeAll(() => {
  const { status, output } = run(process.execPath, [join(root, "scripts/build.ts"), dist])
  if (status !== 0) throw new Error(output)
}, 120_000)
afterAll(() => rmSync(work, { recursive: true, force: true }))

test("a bundle for the browser holds nothing of Node, and nothing but this package", () => {
  const out = join(work, "bundle.js")
  const args = ["build", join(root, "src/acp-http-client.ts"), "--target=browser", `--outfile=${out}`]
  expect(run(process.execPath, args).status).toBe(0)
  const code = readFileSync(out, "utf8")
  const foreign = /\bnode:|\brequire\(|\bprocess\.|\bBuffer\b|\bBun\.|\b__dirname\b|setImmediate|\.unref\(/
  expect(foreign.exec(code)?.[0]).toBeUndefined()
  const parts = [...code.matchAll(/^\/\/ (\S+\.(?:ts|js))$/gm)].map(([, path]) => path)
  expect(parts.length).toBeGreaterThan(5)
  expect(parts.filter((path) => !path?.includes("src/"))).toEqual([])
})

test("it is the protocol's alone", () => {
  const source = readdirSync(join(root, "src")).map((name) => readFileSync(join(root, "src", name), "utf8"))
  expect(source.filter((text) => /sandbox/i.test(text))).toEqual([])
})

test("nothing has to be installed for it", () => {
  const manifest = JSON.parse(readFileSync(join(dist, "package.json"), "utf8"))
  expect(Object.keys(manifest).filter((key) => /dependencies|private|scripts/i.test(key))).toEqual([])
  const files = readdirSync(dist).filter((name) => /\.(js|ts)$/.test(name))
  const imports = files.flatMap((name) => [...readFileSync(join(dist, name), "utf8").matchAll(/from "([^"]+)"/g)])
  expect(imports.map(([, from]) => from).filter((from) => !/^\.\/[\w-]+\.js$/.test(from ?? ""))).toEqual([])
})

test("the example of the README passes the type checker of somebody who has only the package", () => {
  const example = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(dist, "README.md"), "utf8"))?.[1] ?? ""
  expect(example).toContain("new AcpHttpClient")
  const wrong = `
import { AcpHttpClient } from "acp-http-client"
// @ts-expect-error a method of the protocol has its params
await new AcpHttpClient({ url: "x" }).prompt({ sessionId: 1 })
`
  writeFileSync(join(work, "example.ts"), example)
  writeFileSync(join(work, "wrong.ts"), wrong)
  const options = [
    "--strict",
    "--noEmit",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--lib",
    "es2022,dom,esnext.disposable",
  ]
  writeFileSync(join(work, "package.json"), '{"type":"module"}')
  const tsc = join(root, "../../node_modules/.bin/tsc")
  expect(run(tsc, [...options, "--types", "", "example.ts", "wrong.ts"])).toEqual({ status: 0, output: "" })
})

test("Node finds it by its name, packed as npm packs it", () => {
  // Its folder holds sources, which Node cannot load.
  const sources = run("npm", ["pack", "--pack-destination", work, root])
  expect(sources.status).not.toBe(0)
  expect(sources.output).toContain("npm pack ./dist")
  const packed = run("npm", ["pack", "--silent", "--pack-destination", work, dist])
  expect(packed.status).toBe(0)
  const archive = readdirSync(work).find((name) => name.endsWith(".tgz")) ?? ""
  const app = join(work, "app")
  mkdirSync(join(app, "node_modules"), { recursive: true })
  expect(run("tar", ["xzf", join(work, archive)], app).status).toBe(0)
  cpSync(join(app, "package"), join(app, "node_modules/acp-http-client"), { recursive: true })
  const code = 'import("acp-http-client").then((m) => console.log(Object.keys(m).sort().join()))'
  const { output } = run("node", ["-e", code], app)
  expect(output.trim()).toBe(
    "AcpError,AcpHttpClient,AcpHttpError,AcpRpcError,SseParser,backOff,defaultLimits,headersOf,intervalOf,pause,timerOf",
  )
})
