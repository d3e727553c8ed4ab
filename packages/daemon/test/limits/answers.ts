import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { pagesInProgress, roomFor } from "../../src/faces/http/pages-in-progress.ts"
import { Slices } from "../../src/faces/http/slices.ts"
import { startDaemon } from "../harness/daemon.ts"
import { deafClients } from "../streaming/deaf-clients.ts"
import { metricBecomes } from "../streaming/raw-stream.ts"
import { overfill } from "./overfill.ts"

overfill(
  ["smallAnswerBytes", "answers"],
  "a longer answer is given in slices, and one too many is unavailable for a moment",
  async () => {
    await using daemon = await startDaemon()
    const { api } = daemon
    await api.create("past")
    await api.turn("past", "/stream 2000 4000")
    const path = "/v1/sessions/past/events?limit=1000&offset=0"
    const whole = async (query: string) => {
      const response = await fetch(`${daemon.url}/v1/sessions/past/events?${query}`, { headers: api.headers })
      return { response, length: (await response.arrayBuffer()).byteLength }
    }
    const short = await whole("limit=5&offset=0")
    expect(short.length).toBeLessThan(limits.smallAnswerBytes)
    expect(short.response.headers.get("content-length")).toBe(String(short.length))
    const long = await whole("limit=1000&offset=0")
    expect(long.length).toBeGreaterThan(limits.smallAnswerBytes)
    expect(long.response.headers.get("transfer-encoding")).toBe("chunked")

    const sockets = await deafClients(daemon, limits.answers, { path })
    await metricBecomes(daemon, "answers_open", limits.answers)
    const refused = await fetch(daemon.url + path, { headers: api.headers })
    expect(refused.status).toBe(503)
    expect(refused.headers.get("retry-after")).toBe("1")
    expect(await refused.json()).toMatchObject({ type: "urn:sandbox-agent:error:unavailable", limit: limits.answers })
    // Short ones are answered all the same.
    expect((await whole("limit=5&offset=0")).length).toBe(short.length)
    for (const socket of sockets) socket.destroy()
    await metricBecomes(daemon, "answers_open", 0)
    await metricBecomes(daemon, "stream_waiting_bytes", 0)
    expect((await whole("limit=1000&offset=0")).length).toBe(long.length)
  },
  { timeout: 300_000 },
)

overfill(
  ["heldPagesBytes"],
  "what was made whole for clients finds so much room and no more, what can be made again is made again",
  () => {
    const size = limits.heldPagesBytes / 4
    const releases = Array.from({ length: 4 }, () => roomFor({}, size))
    try {
      expect(() => roomFor({}, 1)).toThrow(SandboxAgentError)
      let made = 0
      const bytes = new Uint8Array(3 * limits.sliceBytes).map((_, i) => i)
      const again = new Uint8Array(limits.sharedPagesBytes)
      const slices = new Slices<number>({
        start: 0,
        nameOf: (at) => `test ${at}`,
        next: (at) => (++made && at === 0 ? { bytes, at: 1 } : at === 1 ? { bytes: again, at: 2 } : undefined),
      })
      const all: Uint8Array[] = []
      for (let slice = slices.read(limits.sliceBytes); slice; slice = slices.read(limits.sliceBytes)) all.push(slice)
      expect(Buffer.concat(all).equals(Buffer.concat([bytes, again]))).toBe(true)
      // Once for each slice of the long one, which is not kept.
      expect(made).toBeGreaterThan(limits.sharedPagesBytes / limits.sliceBytes)
    } finally {
      for (const release of releases) release()
      pagesInProgress.forget()
    }
    roomFor({}, limits.heldPagesBytes)()
  },
)
