import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SearchEvent } from "@sandbox-agent/schema/file"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { SearchEventSchema } from "@sandbox-agent/schema/file-view"
import { expect, test } from "vitest"
import { fuzzyScore } from "../../src/host/files/search/names.ts"
import { expectExactly } from "../api/contract-check.ts"
import { root as repository } from "../harness/daemon.ts"
import { sseEvents } from "../harness/sse.ts"
import { childrenOf } from "../supervisor/processes.ts"
import { filesDaemon, type Query, queryOf, workspace } from "./files-api.ts"
import { overfill } from "./overfill.ts"

const shared = filesDaemon()

function tree(files: Record<string, string | Buffer>): string {
  const top = workspace()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(top, name, ".."), { recursive: true })
    writeFileSync(join(top, name), text)
  }
  return top
}

async function search(path: string, pattern: string, query: Query = {}) {
  const response = await fetch(`${shared.daemon.url}/v1/fs/search?${queryOf({ path, pattern, ...query })}`, {
    headers: shared.daemon.api.headers,
  })
  if (!response.ok) throw new Error(await response.text())
  const events: SearchEvent[] = []
  for await (const { data } of sseEvents(response)) events.push(JSON.parse(data) as SearchEvent)
  for (const event of events) expectExactly(SearchEventSchema, event, "an event of a search")
  const done = events.at(-1)
  if (done?.type !== "done") throw new Error("the search did not end")
  const found = events.flatMap((event) => (event.type === "done" ? [] : [event]))
  const lines = found.map(
    (one) => `${one.path.slice(path.length + 1)}${one.type === "match" ? `:${one.line}:${one.column}` : ""}`,
  )
  return { found, lines, done }
}

test("text, regex and case; each line once; what is ignored, hidden, binary or a link is passed over", async () => {
  const top = tree({
    "a.txt": "one\nneedle and needle\nNeedle\nlast needle",
    "sub/b.ts": "x\r\n  a needle\r\n",
    "sub/n+.ts": "n+edle",
    ".hidden/c": "needle",
    "node_modules/d": "needle",
    ".gitignore": "node_modules\n",
    ".ignore": "*.min\n",
    "e.min": "needle",
    binary: Buffer.concat([Buffer.from([0, 1]), Buffer.from("needle")]),
    "ü.txt": "ääneedle",
  })
  mkdirSync(join(top, ".git"))
  symlinkSync(join(top, "a.txt"), join(top, "link"))
  const text = await search(top, "needle")
  expect(text.lines).toEqual(["a.txt:2:1", "a.txt:4:6", "sub/b.ts:2:5", "ü.txt:1:3"])
  expect(text.found[2]).toMatchObject({ text: "  a needle" })
  expect(text.done).toMatchObject({ matches: 4, truncated: false })
  expect((await search(top, "NEEDLE", { ignoreCase: true })).lines).toContain("a.txt:3:1")
  expect((await search(top, "n+edle")).lines).toEqual(["sub/n+.ts:1:1"])
  expect((await search(top, "^(last|one)", { mode: "regex" })).lines).toEqual(["a.txt:1:1", "a.txt:4:1"])
  expect((await search(top, "needle", { globs: "*.ts,!n*" })).lines).toEqual(["sub/b.ts:2:5"])
  expect((await search(top, "needle", { gitignore: false, hidden: true })).lines).toEqual(
    expect.arrayContaining([".hidden/c:1:1", "node_modules/d:1:1", "e.min:1:1"]),
  )
  const around = await search(top, "Needle", { context: 1 })
  expect(around.found).toMatchObject([{ before: ["needle and needle"], after: ["last needle"] }])
})

test("an expression stays in its line, whatever ends it", async () => {
  const top = tree({
    crlf: "one\r\ntwo  \r\nthree\r\n",
    lf: "a(\n  b)\nlast",
    marked: "\ufefffirst\nsecond",
    odd: "x\u2028y\rz\n",
    wide: "😀ä needle",
    with: "needle\n",
  })
  const found = async (pattern: string, query: Query = {}) =>
    (await search(top, pattern, { mode: "regex", ...query })).lines
  expect(await found("\\(\\s*b")).toEqual([])
  expect(await found("\\([^x]*\\)")).toEqual([])
  expect(await found("^\\s*$")).toEqual([])
  expect(await found("(one|two *|three)$")).toEqual(["crlf:1:1", "crlf:2:1", "crlf:3:1"])
  expect(await found("last$|^first")).toEqual(["lf:3:1", "marked:1:1"])
  expect(await found("^[yz]")).toEqual([])
  expect(await found("x.y.z$")).toEqual(["odd:1:1"])
  expect(await found("(?<=ä )need")).toEqual(["wide:1:5"])
  expect(await found("t", { globs: "crlf" })).toEqual(["crlf:2:1", "crlf:3:1"])
  expect((await search(top, "first")).lines).toEqual(["marked:1:1"])
  expect((await search(top, "one\r")).lines).toEqual([])
  expect((await search(top, "ONE\r\nTWO", { ignoreCase: true })).lines).toEqual([])
  const [around] = (await search(top, "needle", { globs: "with", context: 1 })).found
  expect(around).toMatchObject({ before: [], after: [] })
})

overfill(["searchLineLookedAt"], "an expression is not asked of what comes later in a line", async () => {
  const most = fileLimits.searchLineLookedAt
  const top = tree({ at: `${"a".repeat(most - 1)}b\nb`, beyond: `${"a".repeat(most)}b\nb` })
  expect((await search(top, "b", { mode: "regex" })).lines).toEqual([`at:1:${most}`, "at:2:1", "beyond:2:1"])
  expect((await search(top, "ab")).lines).toEqual([`at:1:${most - 1}`, `beyond:1:${most}`])
})

test("the same lines as ripgrep on a real tree", async () => {
  if (Bun.which("rg") === null) return console.warn("SKIPPED: there is no rg on this machine to compare with")
  for (const [pattern, mode] of [
    ["SandboxAgentError", "text"],
    ["export (async )?function \\w+Of\\b", "regex"],
  ] as const) {
    const words = [
      "rg",
      "-n",
      "--no-heading",
      "--sort",
      "path",
      ...(mode === "text" ? ["-F"] : []),
      pattern,
      "packages",
    ]
    const lines = Bun.spawnSync(words, { cwd: repository }).stdout.toString().trim().split("\n")
    const places = lines.map((line) => line.split(":").slice(0, 2).join(":"))
    const { found } = await search(join(repository, "packages"), pattern, { mode, limit: fileLimits.searchMatches })
    const ours = found.map((one) =>
      one.type === "match"
        ? `${one.path.slice(repository.length + (repository.endsWith("/") ? 0 : 1))}:${one.line}`
        : "",
    )
    expect(new Set(ours)).toEqual(new Set(places))
    expect(ours.length).toBe(places.length)
  }
})

test("names, as editors find them", async () => {
  const top = tree({
    "src/file-handlers.ts": "",
    "src/files.ts": "",
    "src/fence.ts": "",
    "README.md": "",
    "test/handlers/file.ts": "",
  })
  expect((await search(top, "filehandlers", { mode: "names" })).lines[0]).toBe("src/file-handlers.ts")
  expect((await search(top, "fh", { mode: "names" })).lines[0]).toBe("src/file-handlers.ts")
  expect((await search(top, "readme", { mode: "names" })).lines).toEqual(["README.md"])
  expect((await search(top, "files.ts", { mode: "names" })).lines[0]).toBe("src/files.ts")
  expect((await search(top, "zzz", { mode: "names" })).lines).toEqual([])
  expect(fuzzyScore("abc", "xaxbxc") ?? 0).toBeLessThan(fuzzyScore("abc", "abc") ?? 0)
})

overfill(
  [
    "searchMatches",
    "searchMatchesDefault",
    "searchContext",
    "searchPatternChars",
    "searchFileBytes",
    "searchLineChars",
  ],
  "more is refused, passed over or cut",
  async () => {
    const top = tree({
      many: "x\n".repeat(fileLimits.searchMatchesDefault + 1),
      long: `y${"z".repeat(fileLimits.searchLineChars + 5)}`,
    })
    writeFileSync(join(top, "large"), Buffer.alloc(fileLimits.searchFileBytes + 1, "q"))
    expect((await search(top, "x")).done).toMatchObject({ matches: fileLimits.searchMatchesDefault, truncated: true })
    expect((await search(top, "x", { limit: 3 })).lines.length).toBe(3)
    const { found } = await search(top, "yz")
    expect(found[0]?.type === "match" && found[0].text.length).toBe(fileLimits.searchLineChars)
    expect((await search(top, "qq")).done).toMatchObject({ matches: 0, large: 1 })
    for (const bad of [
      { limit: fileLimits.searchMatches + 1 },
      { context: fileLimits.searchContext + 1 },
      { pattern: "x".repeat(fileLimits.searchPatternChars + 1) },
      { mode: "regex", pattern: "(" },
    ])
      await shared.fs.refused("invalid_request", "GET", "search", { path: top, pattern: "x", ...bad })
  },
)

overfill(
  ["searches"],
  "an expression that never ends ends with its client, and holds nobody up; one search too many is refused",
  async () => {
    const top = tree({ bad: `${"a".repeat(60)}b` })
    // Of this daemon: others of this machine may search as well.
    const running = () => childrenOf(shared.daemon.pid).filter((pid) => commandOf(pid).includes("search-files")).length
    const leave = new AbortController()
    const ask = () =>
      fetch(`${shared.daemon.url}/v1/fs/search?${queryOf({ path: top, pattern: "^(a+)+$", mode: "regex" })}`, {
        headers: shared.daemon.api.headers,
        signal: leave.signal,
      })
    const before = running()
    const all = Array.from({ length: fileLimits.searches }, () => ask().catch(() => undefined))
    while (running() < before + fileLimits.searches) await Bun.sleep(20)
    await shared.fs.ok("GET", "stat", { path: top })
    await shared.fs.refused("too_many_requests", "GET", "search", { path: top, pattern: "x" })
    leave.abort()
    await Promise.all(all)
    while (running() > before) await Bun.sleep(20)
    await search(top, "a")
  },
  { timeout: 120_000 },
)

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1")
  } catch {
    return ""
  }
}
