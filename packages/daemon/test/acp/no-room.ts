import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { expect } from "vitest"
import { noRoom } from "../../src/faces/acp/no-room.ts"
import { serve } from "../../src/faces/acp/serve.ts"
import { overfill } from "./overfill.ts"
import { standalone } from "./standalone.ts"

const traits = { version: 1, form: false, url: false, notices: false } as const

overfill(
  ["unwritten"],
  "while the disk takes nothing clients are refused once so much waits, and taken again after",
  async () => {
    const { connections, store, rows } = standalone()
    const { acp } = connections
    const face = serve({ ...acp, rows, store, connections, defaultAgent: "mock", startPos: 0 })
    // Of no stated type: where there is room that is what is wrong with it.
    const post = async (path: string) => {
      const request = new Request(`http://localhost${path}`, {
        method: "POST",
        body: "{}",
        headers: { "content-type": "" },
      })
      const answer = path === "/v1/rpc" ? face.rpc(request, () => false) : face.servers(request)
      return answer.then(
        ({ status }) => status,
        (error: unknown) => (SandboxAgentError.is(error) ? error.code : error),
      )
    }
    const connection = connections.open("official", "/v1/rpc", "mock", traits)
    connections.touch(connection)
    store.flush()
    const { page_count } = store.db.query("PRAGMA page_count").get() as { page_count: number }
    store.db.run(`PRAGMA max_page_count = ${page_count}`)
    for (let n = 0; n < acpLimits.unwritten; n++) {
      connection.endCall(connection.call(n, "session/list", undefined))
      connection.say({ envelope: { id: n, result: "x".repeat(n < 5 ? 100_000 : 10) } })
      // The store calls itself failing after some attempts.
      if (n < 5) for (let attempt = 0; attempt < 3; attempt++) store.flush()
      if (n === 4) expect([store.failing, noRoom(acp)]).toEqual([true, undefined])
    }
    expect(noRoom(acp)).toMatchObject({ code: "unavailable" })
    expect([await post("/v1/rpc"), await post("/v1/acp/mine")]).toEqual(["unavailable", "unavailable"])
    store.db.run("PRAGMA max_page_count = 1000000")
    store.flush()
    expect([store.failing, noRoom(acp)]).toEqual([false, undefined])
    expect([await post("/v1/rpc"), await post("/v1/acp/mine")]).toEqual([415, 415])
  },
)
