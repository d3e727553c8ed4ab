import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { claudeLimits } from "@sandbox-agent/schema/driver-limits"
import { expect } from "vitest"
import { proposedDiff } from "../../../src/drivers/claude/files.ts"
import { copySession } from "../../../src/drivers/claude/fork.ts"
import { userMessage } from "../../../src/drivers/claude/message.ts"
import { WaitingCalls } from "../../../src/drivers/claude/waiting-calls.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { homeWith } from "../../credentials/home.ts"
import { overfilling } from "../../harness/overfill.ts"

const { overfill, expectAll } = overfilling(claudeLimits)

overfill(["waitingCalls"], "beyond them the oldest call is forgotten, and one that is answered makes room", () => {
  const calls = new WaitingCalls()
  for (let n = 0; n <= claudeLimits.waitingCalls; n++) calls.add(`c${n}`, { name: "Bash", input: { n } })
  expect(calls.take("c0")).toBeUndefined()
  expect(calls.take("c1")?.input).toEqual({ n: 1 })
  calls.add("more", { name: "Bash", input: {} })
  expect(calls.take("c2")?.input).toEqual({ n: 2 })
})

overfill(
  ["waitingInputChars"],
  "beyond them the oldest calls lose what they were called with, and keep their names",
  () => {
    const calls = new WaitingCalls()
    const content = "x".repeat(claudeLimits.waitingInputChars / 4)
    for (let n = 0; n < 6; n++)
      calls.add(`c${n}`, { name: "Write", input: { file_path: `${n}`, content }, parent: "p" })
    const inputs = Array.from({ length: 6 }, (_, n) => calls.take(`c${n}`))
    expect(inputs.map((call) => [call?.name, call?.parent])).toEqual(inputs.map(() => ["Write", "p"]))
    expect(inputs.map((call) => call?.input.file_path)).toEqual([undefined, undefined, undefined, "3", "4", "5"])
    // All were taken: there is room again.
    calls.add("again", { name: "Write", input: { content } })
    expect(calls.take("again")?.input).toEqual({ content })
  },
)

overfill(["attachmentBytes"], "a larger document is named by its path, not sent along", async () => {
  const content = async (length: number) => {
    const attachment = { bytes: new Uint8Array(length), path: "/paper.pdf", mime: "application/pdf" }
    const given = { id: "m", text: "read", attachments: [attachment] } as never
    return (await userMessage("u", given, false, new Confinement())).message.content
  }
  expect(await content(claudeLimits.attachmentBytes)).toMatchObject([{ type: "document" }, { type: "text" }])
  expect(await content(claudeLimits.attachmentBytes + 1)).toBe("read\n\nAttached files:\n- /paper.pdf")
})

overfill(["comparedBytes"], "of a larger file no diff is proposed", async () => {
  const home = homeWith({ "a.txt": "x".repeat(claudeLimits.comparedBytes) })
  const file_path = join(home, "a.txt")
  const diff = () => proposedDiff("Write", { file_path, content: "y" }, new Confinement())
  expect(await diff()).toContain("+y")
  appendFileSync(file_path, "x")
  expect(await diff()).toBeUndefined()
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
