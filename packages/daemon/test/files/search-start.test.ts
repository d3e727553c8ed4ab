import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { expect, test } from "vitest"
import { StalledReaders } from "../../src/faces/http/stalled-readers.ts"
import { searchAnswer } from "../../src/faces/universal/search-answer.ts"
import type { SearchQuery } from "../../src/host/files/search/query.ts"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { sseEvents } from "../harness/sse.ts"
import { workspace } from "./files-api.ts"

test("searches that the system cannot start take the place of none that comes later", async () => {
  const supervisor = createSupervisor({ daemonId: `search-${process.pid}`, log: () => {} })
  const query: SearchQuery = {
    ...{ root: workspace(), never: [], pattern: "x", ignoreCase: false, globs: [] },
    ...{ mode: "text", hidden: false, gitignore: true, context: 0, limit: 1 },
  }
  const request = new Request("http://localhost/v1/fs/search")
  const ask = (program: readonly string[]) =>
    searchAnswer(query, program, supervisor, request, new StalledReaders(60, () => {}))
  for (let count = 0; count < fileLimits.searches; count++)
    expect(() => ask(["/no/such/program"])).toThrow("cannot start")
  const said: string[] = []
  for await (const { data } of sseEvents(ask(daemonProgram()))) said.push(data)
  expect(said).toEqual([expect.stringContaining('"type":"done"')])
  await supervisor.stopAll()
})
