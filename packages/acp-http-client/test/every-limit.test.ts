import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import * as limits from "../src/limits.ts"

/** Where each limit is hit: the file, and the title of the test there. */
const hit: Record<string, [file: string, title: string]> = {
  messageChars: ["faults", "a message that is too large ends the connection, with its name"],
  errorBodyChars: ["faults", "a long refusal is cut"],
  queuedUpdates: ["updates", "a slow reader slows the stream down and loses nothing"],
  queuedUpdateChars: ["updates", "one large update counts by its size"],
  readerStallMs: ["updates", "a reader that takes nothing overflows"],
  openAgentRequests: ["answers", "more requests at once than may be open are refused"],
  rememberedAgentRequests: ["answers", "only so many answered requests are remembered"],
  rememberedEvents: ["limits", "events beyond what is remembered may come twice"],
  rememberedEventChars: ["limits", "events beyond what is remembered may come twice"],
  initializeMs: ["faults", "nothing is answered in time"],
  acceptMs: ["faults", "nothing is answered in time"],
  heldMs: ["headerless", "a held request of a server that has fallen silent is given up"],
  openMs: ["timeouts", "openMs: "],
  readyMs: ["faults", "a stream that shows nothing yet does not hold messages back"],
  closeMs: ["timeouts", "closeMs: "],
  stallMs: ["timeouts", "stallMs: "],
  silenceMs: ["timeouts", "silenceMs: "],
  lostAnswerMs: ["reconnect", "on a server without ids an answer that never comes after a break is given up"],
  reconnectAttempts: ["faults", "500 for good is given up"],
  reconnectMinMs: ["timeouts", "reconnectMinMs, reconnectMaxMs: "],
  reconnectMaxMs: ["timeouts", "reconnectMinMs, reconnectMaxMs: "],
  answerAttempts: ["timeouts", "answerAttempts: "],
  maxEventIdChars: ["limits", "an id that is too long is not sent back"],
  maxCookies: ["limits", "cookies: so many, so long"],
  maxCookieChars: ["limits", "cookies: so many, so long"],
  maxRoutes: ["timeouts", "maxRoutes: "],
}

const { defaultLimits, ...constants } = limits
const all = [...Object.keys(defaultLimits), ...Object.keys(constants)]

test.each(all)("%s is hit by a test", (name) => {
  const [file, title] = hit[name] ?? ["", ""]
  const text = readFileSync(join(import.meta.dirname, `${file}.test.ts`), "utf8")
  expect(text).toContain(`test("${title}`)
})

test("nothing is said to be hit that is no limit", () => {
  expect(Object.keys(hit).filter((name) => !all.includes(name))).toEqual([])
})
