import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { expect } from "vitest"
import { overfill } from "./overfill.ts"
import { standalone } from "./standalone.ts"

overfill(
  ["recentPrompts"],
  "the prompt that was sent first is looked up again, and belongs to its sender alone",
  () => {
    const { rows } = standalone()
    const prompts = acpLimits.recentPrompts + 1
    for (let n = 1; n <= prompts; n++)
      rows.saveCall(1, { n, id: String(n), method: "session/prompt", session: "one", uid: 1, message: `m${n}` })
    for (const n of [1, 2, prompts])
      expect([rows.callOf(1, `m${n}`), rows.callOf(2, `m${n}`)]).toEqual([
        expect.objectContaining({ n, id: String(n), message: `m${n}` }),
        undefined,
      ])
    rows.removeCall(1, prompts)
    rows.removeConn(1)
    expect([rows.callOf(1, `m${prompts}`), rows.callOf(1, "m2")]).toEqual([undefined, undefined])
  },
)
