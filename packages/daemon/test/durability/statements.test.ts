import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { text, Wire } from "../acp/wire.ts"
import { startDaemon } from "../harness/daemon.ts"
import { keptDirectory, withDatabase } from "./database.ts"

const preload = fileURLToPath(new URL("record-statements.ts", import.meta.url))

/** Tables that grow with every message. What reads one of them whole is slower with each turn. */
const whole = [
  /^SCAN (log|raw|messages|turns|items|requests|acp_call)\b(?!.* USING (COVERING )?INDEX \w+_open\b)/,
  /^SEARCH (log|raw|messages|turns|items|requests|acp_call) USING (COVERING )?INDEX \w+$/,
  /^SEARCH acp_call USING PRIMARY KEY \(conn=\?\)$/,
  /^USE TEMP B-TREE/,
]

/** Once at start; or the first row from one end, which needs no sorting. */
const allowed = [
  "SCAN acp_call: SELECT * FROM acp_call WHERE message IS NULL ORDER BY conn, n",
  "SEARCH acp_call USING PRIMARY KEY (conn=?): SELECT coalesce(max(n), 0) AS n",
  "USE TEMP B-TREE FOR ORDER BY: SELECT * FROM acp_conn ORDER BY seen",
  "SCAN log: SELECT pos + count AS next FROM log ORDER BY pos DESC LIMIT 1",
  "SCAN log: SELECT frames FROM log WHERE +uid >= 0 ORDER BY pos DESC LIMIT 1",
  "SEARCH log USING COVERING INDEX log_by_seq: SELECT max(coalesce((SELECT max(uid) FROM acp_conn)",
  ...["items", "turns", "messages", "requests"].map((table) => `SCAN ${table}: SELECT max(id) AS id FROM (SELECT id`),
]

test("no statement of a turn or of a start reads a table that grows with the turns", async () => {
  const dataDir = keptDirectory()
  const file = join(dataDir, "statements.jsonl")
  const env = { BUN_OPTIONS: `--preload=${preload}`, TEST_STATEMENTS: file }
  {
    await using daemon = await startDaemon({ dataDir, env })
    await daemon.api.create("rest")
    await daemon.api.turn("rest", "hello")
    const wire = new Wire(daemon, "/v1/acp/mine")
    const stream = await wire.stream()
    await wire.initialize()
    const { result } = await wire.ask("session/new", { cwd: "/tmp", mcpServers: [] })
    const prompt = { sessionId: String(result?.sessionId), prompt: text("hello") }
    for (const id of [7, 8]) await wire.ask("session/prompt", prompt, id)
    await stream.until(({ id }) => id === 8)
    await daemon.api.events("rest")
  }
  await using again = await startDaemon({ dataDir, env })
  await again.api.turn("rest", "after a restart")
  await again.stop()

  const recorded = new Set(
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as string).replace(/\s+/g, " ")),
  )
  const reads = [...recorded].filter((sql) => /^ ?(SELECT|UPDATE|DELETE|INSERT|WITH)\b/i.test(sql))
  expect(reads.length).toBeGreaterThan(30)
  const slow = withDatabase(dataDir, (db) =>
    reads.flatMap((sql) => {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      const steps = plan.all(...Array<number>(plan.paramsCount).fill(1)) as { detail: string }[]
      const bad = steps.filter(({ detail }) => whole.some((kind) => kind.test(detail)))
      return bad.map(({ detail }) => `${detail}: ${sql}`)
    }),
  )
  expect(slow.filter((line) => !allowed.some((begin) => line.startsWith(begin)))).toEqual([])
})
