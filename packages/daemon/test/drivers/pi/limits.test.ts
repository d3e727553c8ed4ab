import { piLimits } from "@sandbox-agent/schema/driver-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"
import { expect } from "vitest"
import { promptOf } from "../../../src/drivers/pi/message.ts"
import { toolCall } from "../../../src/drivers/pi/tools.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { start } from "./replay.ts"

const { overfill, expectAll } = overfilling(piLimits)

const png = Buffer.from("picture")
const promptWith = (attachments: object[]) => promptOf({ id: "m", text: "", attachments } as never, new Confinement())

overfill(["images"], "a further picture is named by its path", async () => {
  const many = Array.from({ length: piLimits.images + 1 }, (_, n) => ({ path: `/${n}`, bytes: png, mime: "image/png" }))
  const { message, images } = await promptWith(many)
  expect([message, images?.length]).toEqual([`Attached files:\n- /${piLimits.images}`, piLimits.images])
})

overfill(["imageBytes"], "a larger picture is named by its path", async () => {
  const sized = (length: number) => [{ path: "/p", bytes: Buffer.alloc(length), mime: "image/png" }]
  expect((await promptWith(sized(piLimits.imageBytes))).images).toHaveLength(1)
  expect(await promptWith(sized(piLimits.imageBytes + 1))).toEqual({ message: "Attached files:\n- /p" })
})

overfill(["titleChars"], "a longer title is cut", () => {
  const { title } = toolCall("c", "bash", { command: "x".repeat(piLimits.titleChars + 1) })
  expect(title).toHaveLength(piLimits.titleChars)
})

overfill(["noteChars"], "a longer note is cut", async () => {
  const { stage, process } = await start()
  await using _ = stage
  const message = "x".repeat(piLimits.noteChars + 1)
  process.say({ type: "extension_ui_request", id: "1", method: "notify", message })
  const custom = { role: "custom", content: message, display: true }
  process.say({ type: "message_start", message: custom })
  const said = stage.items().flatMap(({ content }) => content)
  expect(said).toEqual([
    { type: "status", label: "pi.notify", detail: "x".repeat(piLimits.noteChars) },
    { type: "text", text: "x".repeat(piLimits.noteChars) },
  ])
})

expectAll()
