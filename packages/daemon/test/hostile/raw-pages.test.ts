import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { sseEvents } from "../harness/sse.ts"
import { play, startPuppet } from "./puppet.ts"
import type { Step } from "./puppet-agent.ts"

/** Lines of which each is longer than a page. */
const lines = 3
const line: Step = {
  begin:
    '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":{"sessionUpdate":"plan","entries":[],"_meta":{"x":"',
  middle: "x",
  times: limits.eventsPageChars,
  end: '"}}}}',
}

test("eventsPageChars: pages and streams with native lines end by their size, and paging on misses none", async () => {
  await using daemon = await startPuppet()
  await daemon.api.create("raw", { agent: "puppet" })
  const { length } = await play(daemon, "raw", Array<Step>(lines).fill(line))
  expect(length).toBeGreaterThan(lines)
  const all = (await daemon.api.events("raw")).map(({ sequence }) => sequence)

  const paged: number[] = []
  for (let more = true; more; ) {
    const query = `?include_raw=true&limit=1000&offset=${paged.at(-1) ?? 0}`
    const page = await daemon.api.ok<{ events: { sequence: number }[]; hasMore: boolean }>(
      "GET",
      `/v1/sessions/raw/events${query}`,
    )
    expect(JSON.stringify(page).length).toBeLessThan(2.5 * limits.eventsPageChars)
    paged.push(...page.events.map(({ sequence }) => sequence))
    more = page.hasMore
  }
  expect(paged).toEqual(all)

  const streamed: number[] = []
  const response = await fetch(`${daemon.url}/v1/sessions/raw/events/sse?include_raw=true`, {
    headers: daemon.api.headers,
  })
  for await (const { id } of sseEvents(response)) {
    streamed.push(Number(id))
    if (Number(id) === all.at(-1)) break
  }
  expect(streamed).toEqual(all)
})
