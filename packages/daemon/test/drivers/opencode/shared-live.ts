import { afterAll, beforeAll } from "vitest"
import { type Live, startLive } from "./live.ts"

/** A server takes seconds to start: one for all tests of a file. */
export function sharedLive(): { readonly live: Live } {
  let live: Live | undefined
  beforeAll(async () => {
    live = await startLive()
  }, 120_000)
  afterAll(async () => live?.[Symbol.asyncDispose](), 60_000)
  return {
    get live() {
      if (live === undefined) throw new Error("not started")
      return live
    },
  }
}
