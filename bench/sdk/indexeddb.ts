import { join } from "node:path"
import { chromiumProgram } from "../../packages/sandbox-agent/test/harness/chromium.ts"
import { openPage } from "../../packages/sandbox-agent/test/harness/page.ts"
import { token } from "../target/api.ts"
import type { Lasts } from "./ingesting.ts"

interface PageRound {
  floorMs: number
  takenMs: number
  isWhole: boolean
}

/** Rounds in a real browser; `undefined` where there is none for this machine. */
export async function roundsInPage(daemon: string, lasts: Lasts, rounds: number): Promise<PageRound[] | undefined> {
  const program = await chromiumProgram()
  if (program === undefined) return undefined
  const { page, close } = await openPage(program, join(import.meta.dirname, "ingest-page.js"), daemon)
  try {
    const taken: PageRound[] = []
    for (let at = 0; at < rounds; at++) {
      const words = [`round ${at}`, token, [...lasts]].map((word) => JSON.stringify(word)).join(", ")
      taken.push(await page.evaluate<PageRound>(`window.start(${words})`))
    }
    return taken
  } finally {
    await close()
  }
}
