import { afterEach, describe, expect } from "vitest"
import { Cookies } from "../src/cookies.ts"
import { maxCookieChars, maxCookies, maxEventIdChars } from "../src/limits.ts"
import { against, endAll, quick } from "./odd-client.ts"
import { overfill } from "./overfill.ts"

afterEach(endAll)

describe("bounds of what a server may make us keep", () => {
  overfill(["maxCookies", "maxCookieChars"], "so many are kept, none that is longer", () => {
    const cookies = new Cookies()
    const set = new Headers()
    for (let at = 0; at < maxCookies + 5; at++) set.append("set-cookie", `c${at}=1`)
    set.append("set-cookie", `long=${"x".repeat(maxCookieChars)}`)
    cookies.keep(set)
    const sent = new Headers()
    cookies.apply(sent)
    expect(sent.get("cookie")?.split("; ")).toHaveLength(maxCookies)
    expect(sent.get("cookie")).not.toContain("long")
  })

  /** Streams that end after what they say; the cursors the client comes back with. */
  async function cursors(events: string[], limits = {}) {
    const came: (string | undefined)[] = []
    const reported: string[] = []
    let opened = 0
    const { client } = await against(
      (request, response) => {
        if (request.method !== "GET") return undefined
        const last = request.headers["last-event-id"]
        came.push(typeof last === "string" ? last : undefined)
        response.writeHead(200, { "content-type": "text/event-stream" })
        const event = events[opened++]
        if (event === undefined) return response.write(":\n\n")
        return response.end(event)
      },
      {
        limits: { ...quick, ...limits },
        onNotification: ({ method }) => reported.push(method),
      },
    )
    await client.initialize()
    await expect.poll(() => came.length, { timeout: 30_000 }).toBe(events.length + 1)
    return { came, reported }
  }
  const event = (id: string, method: string) => `id: ${id}\ndata: ${JSON.stringify({ jsonrpc: "2.0", method })}\n\n`

  overfill(["maxEventIdChars"], "an id that is too long is not sent back, one that is not ASCII is", async () => {
    const { came } = await cursors([event("1", "a"), event("x".repeat(maxEventIdChars + 1), "b"), event("ä€", "c")])
    const utf8 = Buffer.from(came[3] ?? "", "latin1").toString("utf8")
    expect([came[0], came[1], came[2], utf8]).toEqual([undefined, "1", "1", "ä€"])
  })

  overfill(
    ["rememberedEvents", "rememberedEventChars"],
    "events beyond what is remembered may come twice, within it they do not",
    async () => {
      const three = event("1", "a") + event("2", "b") + event("3", "c")
      expect((await cursors([three, three])).reported).toEqual(["a", "b", "c"])
      expect((await cursors([three, three], { rememberedEvents: 1 })).reported).toEqual(["a", "b", "c", "a", "b", "c"])
      expect((await cursors([three, three], { rememberedEventChars: 5 })).reported).toHaveLength(6)
      // A server that begins to count again is heard.
      expect((await cursors([event("1", "a"), event("1", "b")])).reported).toEqual(["a", "b"])
    },
  )
})
