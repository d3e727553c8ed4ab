import { afterAll, beforeAll } from "vitest"
import { type Live, startLive } from "./live.ts"

/** One core, one model and one server for all tests of a file. The first start may have to fetch the program. */
export function sharedLive(): { readonly live: Live } {
  let started: Live | undefined
  beforeAll(async () => {
    started = await startLive()
  }, 600_000)
  afterAll(async () => {
    await started?.[Symbol.asyncDispose]()
  }, 60_000)
  return {
    get live() {
      if (started === undefined) throw new Error("not started yet")
      return started
    },
  }
}
