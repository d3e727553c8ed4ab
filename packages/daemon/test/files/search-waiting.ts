import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { expect } from "vitest"
import { StalledReaders } from "../../src/faces/http/stalled-readers.ts"
import { searchAnswer } from "../../src/faces/universal/search-answer.ts"
import type { SearchQuery } from "../../src/host/files/search/query.ts"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { sseEvents } from "../harness/sse.ts"
import { workspace } from "./files-api.ts"
import { overfill } from "./overfill.ts"

overfill(["searchWaiting"], "a client that takes nothing holds its search up, and gets everything later", async () => {
  const folder = workspace()
  const matches = fileLimits.searchMatches
  writeFileSync(join(folder, "many"), `${"x".repeat(500)}\n`.repeat(matches))
  const supervisor = createSupervisor({ daemonId: `search-${process.pid}`, log: () => {} })
  let read = 0
  const held = Promise.withResolvers<void>()
  const spawn: typeof supervisor.spawn = (options) =>
    supervisor.spawn({
      ...options,
      onLine: (line) => {
        read++
        options.onLine(line)
      },
      gate: () => {
        const closed = options.gate?.()
        if (closed !== undefined) held.resolve()
        return closed
      },
    })
  const query: SearchQuery = {
    ...{ root: folder, never: [], pattern: "x", ignoreCase: false, globs: [] },
    ...{ mode: "text", hidden: false, gitignore: true, context: 0, limit: matches },
  }
  const request = new Request("http://localhost/v1/fs/search")
  const answer = searchAnswer(query, daemonProgram(), { spawn }, request, new StalledReaders(60, () => {}))
  await held.promise
  expect(read).toBeLessThan(matches)
  let found = 0
  for await (const { data } of sseEvents(answer)) if (data.startsWith('{"type":"match"')) found++
  expect(found).toBe(matches)
  await supervisor.stopAll()
})
