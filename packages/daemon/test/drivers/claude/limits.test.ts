import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { claudeLimits } from "@sandbox-agent/schema/driver-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"
import { expect } from "vitest"
import { copySession } from "../../../src/drivers/claude/fork.ts"
import { userMessage } from "../../../src/drivers/claude/message.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { homeWith } from "../../credentials/home.ts"

const { overfill, expectAll } = overfilling(claudeLimits)

overfill(["attachmentBytes"], "a larger document is named by its path, not sent along", async () => {
  const content = async (length: number) => {
    const attachment = { bytes: new Uint8Array(length), path: "/paper.pdf", mime: "application/pdf" }
    const given = { id: "m", text: "read", attachments: [attachment] } as never
    return (await userMessage("u", given, false, new Confinement())).message.content
  }
  expect(await content(claudeLimits.attachmentBytes)).toMatchObject([{ type: "document" }, { type: "text" }])
  expect(await content(claudeLimits.attachmentBytes + 1)).toBe("read\n\nAttached files:\n- /paper.pdf")
})

overfill(
  ["transcriptQuietMs", "transcriptWaitMs"],
  "a transcript that goes on growing is copied as it is then",
  async () => {
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    const line = `${JSON.stringify({ sessionId: one, text: "hello" })}\n`
    const home = homeWith({ [`projects/p/${one}.jsonl`]: line })
    const file = join(home, `projects/p/${one}.jsonl`)
    const growing = setInterval(() => appendFileSync(file, line), claudeLimits.transcriptQuietMs / 4)
    try {
      const host = { asAgent: <T>(work: () => T) => work(), reach: new Confinement() }
      expect(await copySession(home, one, two, host)).toBe(true)
    } finally {
      clearInterval(growing)
    }
    const copy = join(home, `projects/p/${two}.jsonl`)
    expect(existsSync(copy)).toBe(true)
    expect(readFileSync(copy, "utf8").split("\n").length).toBeGreaterThan(4)
  },
  { timeout: 30_000 },
)

expectAll()
