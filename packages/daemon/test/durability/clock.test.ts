import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { keptDirectory } from "./database.ts"
import { faultsOf } from "./invariants.ts"

const HOUR = 3_600_000
const preload = fileURLToPath(new URL("shift-clock.ts", import.meta.url))
const shifted = (ms: number) => ({ BUN_OPTIONS: `--preload=${preload}`, TEST_CLOCK_SHIFT: String(ms) })

test.each(["SIGKILL", "SIGTERM"] as const)(
  "a clock set back between two runs (%s) turns back neither times nor the order of ids",
  async (signal) => {
    const dataDir = keptDirectory()
    await using first = await startDaemon({ dataDir, env: shifted(HOUR) })
    await first.api.create("one")
    await first.api.turn("one", "an hour ahead")
    await first.api.send("one", "/sleep 60000")
    await first.api.until("one", "turn.started", (event) => event.sequence > 10)
    const [last] = (await first.api.events("one")).slice(-1)
    expect(Date.parse(last?.time ?? "") - Date.now()).toBeGreaterThan(HOUR / 2)
    first.kill(signal)
    await first.exited

    await using second = await startDaemon({ dataDir, env: shifted(0) })
    await second.api.turn("one", "now")
    await second.api.create("two")
    await second.api.turn("two", "now as well")
    const log = await second.api.events("one")
    expect(faultsOf(log)).toEqual([])
    expect(log.length).toBeGreaterThan((last?.sequence ?? 0) + 5)
    const ids = log.flatMap((event) => (event.type === "item.started" ? [event.data.item.item_id] : []))
    expect(ids.filter((id, i) => id <= (ids[i - 1] ?? ""))).toEqual([])
    // One clock for all sessions: the younger one begins after the older one's last event of the first run.
    const [begin] = await second.api.events("two")
    expect(begin && last && begin.time >= last.time).toBe(true)
    const session = await second.api.session("one")
    expect(session.updatedAt >= (last?.time ?? "")).toBe(true)
  },
)
