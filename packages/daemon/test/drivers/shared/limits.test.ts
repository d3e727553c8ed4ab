import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { callLimits } from "@sandbox-agent/schema/driver-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"
import { expect } from "vitest"
import type { NativeRef } from "../../../src/core/driver.ts"
import { AnswerCache } from "../../../src/drivers/shared/answer-cache.ts"
import { contentBefore } from "../../../src/drivers/shared/compared-file.ts"
import { KeptFile } from "../../../src/drivers/shared/kept-file.ts"
import { WaitingCalls } from "../../../src/drivers/shared/waiting-calls.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { homeWith } from "../../credentials/home.ts"

const { overfill, expectAll } = overfilling(callLimits)

overfill(["waitingCalls"], "beyond them the oldest call is forgotten, and one that is answered makes room", () => {
  const calls = new WaitingCalls()
  for (let n = 0; n <= callLimits.waitingCalls; n++) calls.add(`c${n}`, { name: "Bash", input: { n } })
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
    const content = "x".repeat(callLimits.waitingInputChars / 4)
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

overfill(["comparedBytes"], "a larger file is not one to compare", async () => {
  const file = join(homeWith({ "a.txt": "x".repeat(callLimits.comparedBytes) }), "a.txt")
  expect(await contentBefore(file, new Confinement())).toHaveLength(callLimits.comparedBytes)
  appendFileSync(file, "x")
  expect(await contentBefore(file, new Confinement())).toBeNull()
})

overfill(["keptAnswers"], "beyond them, what nobody wanted for the longest time is asked again", async () => {
  const cache = new AnswerCache<string>()
  const asked: string[] = []
  const get = (key: string) =>
    cache.get(key, () => {
      asked.push(key)
      return Promise.resolve(key)
    })
  for (let n = 0; n < callLimits.keptAnswers; n++) await get(`k${n}`)
  for (const key of ["k0", "one more", "k0", "k2", "k1"]) expect(await get(key)).toBe(key)
  expect(asked.slice(callLimits.keptAnswers)).toEqual(["one more", "k1"])
})

overfill(["firstEntryBytes"], "of a record that begins with a longer entry only the size is known", async () => {
  const begunIn = async (before: number) => {
    const file = join(homeWith({ "s.jsonl": `${" ".repeat(before)}"timestamp":"now"` }), "s.jsonl")
    const ref: NativeRef = { id: "s", home: "", durable: true }
    await new KeptFile(ref, { session: () => {} }, { reach: new Confinement() }, () => file).look()
    return ref.kept?.begun
  }
  const length = '"timestamp":"now"'.length
  expect(await begunIn(callLimits.firstEntryBytes - length)).toBe("now")
  expect(await begunIn(callLimits.firstEntryBytes - length + 1)).toBeUndefined()
})

expectAll()
