import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { expect, test } from "vitest"
import { filesDaemon, queryOf, workspace } from "../files/files-api.ts"
import { childrenOf } from "../supervisor/processes.ts"

const shared = filesDaemon()

const ask = (method: string, name: string, query: Record<string, string>) =>
  fetch(`${shared.daemon.url}/v1/fs/${name}?${queryOf(query)}`, { method, headers: shared.daemon.api.headers })

test("HEAD of watches, as many as there may be, leaves room for one more", async () => {
  const path = workspace()
  const heads = await Promise.all(Array.from({ length: fileLimits.watches }, () => ask("HEAD", "watch", { path })))
  for (const { status, headers } of heads)
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"])
  const one = await ask("GET", "watch", { path })
  expect(one.status).toBe(200)
  await one.body?.cancel()
})

test("HEAD of a search that finds more than waits for a reader ends it", async () => {
  const path = workspace()
  // More than waits here and in the pipe: it cannot end by itself.
  writeFileSync(join(path, "many"), `found ${"x".repeat(200)}\n`.repeat(fileLimits.searchMatches))
  const query = { path, pattern: "found", limit: String(fileLimits.searchMatches) }
  expect((await ask("HEAD", "search", query)).status).toBe(200)
  while (childrenOf(shared.daemon.pid).some(isSearch)) await Bun.sleep(20)
})

test("HEAD of an archive closes the folder", async () => {
  const path = workspace()
  expect((await ask("HEAD", "archive", { path })).headers.get("content-type")).toBe("application/x-tar")
  while (openFiles(shared.daemon.pid).includes(path)) await Bun.sleep(20)
})

test("HEAD tells the length that GET has", async () => {
  const query = { path: workspace() }
  const [head, get] = await Promise.all([ask("HEAD", "stat", query), ask("GET", "stat", query)])
  expect(head.headers.get("content-length")).toBe(String((await get.arrayBuffer()).byteLength))
})

function isSearch(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("search-files")
  } catch {
    return false
  }
}

function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return ""
    }
  })
}
