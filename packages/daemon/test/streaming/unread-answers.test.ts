import { limits } from "@sandbox-agent/schema/limits"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { type Asked, deafClients, peak } from "./deaf-clients.ts"
import { metric, metricBecomes } from "./raw-stream.ts"

const MiB = 1024 * 1024
const clients = rounds(40, 200)

/** A session with items of 8 MB, and a picture. */
async function withPast(daemon: TestDaemon): Promise<string> {
  const { api } = daemon
  await api.create("past")
  for (let turn = 0; turn < 3; turn++) await api.turn("past", "/stream 2000 4000")
  const data = Buffer.alloc(12 * MiB, "x").toString("base64")
  await api.turn("past", "look", { attachments: [{ data, mime: "image/png", filename: "x.png" }] })
  const hash = /"blob":"([^"]+)"/.exec(await (await asked(daemon, "/v1/sessions/past/items")).text())?.[1]
  return hash ?? ""
}

const asked = (daemon: TestDaemon, path: string) => fetch(daemon.url + path, { headers: daemon.api.headers })

test("answers that nobody takes cost a slice each, and whoever reads gets all of them", async () => {
  await using daemon = await startDaemon()
  const hash = await withPast(daemon)
  expect(hash).not.toBe("")
  const ways: Asked[] = [
    { path: "/v1/sessions/past/items" },
    { path: "/v1/sessions/past/events?limit=1000&offset=0" },
    { path: "/v1/sessions/past/events?limit=1000&offset=1000&include_raw=true" },
    { path: `/v1/sessions/past/blobs/${hash}` },
  ]
  const before = peak(daemon.pid)
  for (const [i, way] of ways.entries()) {
    await deafClients(daemon, clients, way)
    await metricBecomes(daemon, "answers_open", (i + 1) * clients)
  }
  // Of each client a page is four megabytes, the transcript 24 and the picture 12.
  expect(await metric(daemon, "stream_waiting_bytes")).toBeLessThan(
    limits.handedBytes + 4 * clients * limits.leastSliceBytes,
  )
  expect(peak(daemon.pid)).toBeLessThan(before + 160 * MiB)

  const items = (await (await asked(daemon, "/v1/sessions/past/items")).json()) as {
    items: unknown[]
    sequence: number
  }
  expect(items.sequence).toBe((await daemon.api.session("past")).lastSequence)
  const seen: number[] = []
  for (let more = true; more; ) {
    const path = `/v1/sessions/past/events?limit=1000&include_raw=true&offset=${seen.at(-1) ?? 0}`
    const page = (await (await asked(daemon, path)).json()) as { events: { sequence: number }[]; hasMore: boolean }
    seen.push(...page.events.map(({ sequence }) => sequence))
    more = page.hasMore
  }
  expect(seen).toEqual(Array.from({ length: items.sequence }, (_, i) => i + 1))
  const blob = await (await asked(daemon, `/v1/sessions/past/blobs/${hash}`)).arrayBuffer()
  expect(Buffer.from(blob).equals(Buffer.alloc(12 * MiB, "x"))).toBe(true)
}, 300_000)
