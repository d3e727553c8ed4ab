import { writeSync } from "node:fs"
import type { SearchEvent } from "@sandbox-agent/schema/file"
import { toText, uriOf } from "../byte-path.ts"
import { Contents } from "./contents.ts"
import { fuzzyScore } from "./names.ts"
import type { SearchQuery } from "./query.ts"
import { type Found, Walk } from "./walk.ts"

/**
 * Searches in a process of its own: an expression can take for ever, and then the process is ended and nothing else. It
 * waits where the daemon does not take what it found.
 */
export async function runSearch(): Promise<void> {
  const query = JSON.parse(await Bun.stdin.text()) as SearchQuery
  let waiting = ""
  const say = (event: SearchEvent): void => {
    waiting += `${JSON.stringify(event)}\n`
    if (waiting.length > 16_384) flush()
  }
  const flush = (): void => {
    const bytes = Buffer.from(waiting)
    waiting = ""
    for (let at = 0; at < bytes.length; ) at += writeAll(bytes.subarray(at))
  }
  const done = query.mode === "names" ? byName(query, say) : byContents(query, say, flush)
  say({ type: "done", ...done })
  flush()
}

/** The pipe is not blocking where the runtime says so: then it is waited for. */
function writeAll(bytes: Buffer): number {
  try {
    return writeSync(1, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error
    Bun.sleepSync(1)
    return 0
  }
}

function byContents(query: SearchQuery, say: (event: SearchEvent) => void, flush: () => void) {
  const contents = new Contents(query)
  let [files, matches, last] = [0, 0, performance.now()]
  for (const file of new Walk(query).all()) {
    if (file.isDirectory) continue
    files++
    for (const match of contents.matches(file)) {
      if (matches === query.limit) return { files, matches, large: contents.large, truncated: true }
      matches++
      say(match)
    }
    if (performance.now() - last < 50) continue
    last = performance.now()
    flush()
  }
  return { files, matches, large: contents.large, truncated: false }
}

/** The best are known when all were seen. */
function byName(query: SearchQuery, say: (event: SearchEvent) => void) {
  const best: { found: Found; score: number }[] = []
  let [files, matches] = [0, 0]
  for (const found of new Walk(query).all()) {
    files++
    const score = fuzzyScore(query.pattern, found.way)
    if (score === undefined) continue
    matches++
    best.push({ found, score })
    if (best.length >= query.limit * 2 + 1_000) cutTo(best, query.limit)
  }
  cutTo(best, query.limit)
  for (const { found, score } of best)
    say({
      type: "name",
      path: toText(found.path),
      uri: uriOf(found.path),
      entryType: found.isDirectory ? "directory" : "file",
      score: Math.round(score * 10) / 10,
    })
  return { files, matches: best.length, large: 0, truncated: matches > best.length }
}

function cutTo(best: { found: Found; score: number }[], limit: number): void {
  best.sort((a, b) => b.score - a.score || (a.found.path < b.found.path ? -1 : 1))
  best.length = Math.min(best.length, limit)
}
