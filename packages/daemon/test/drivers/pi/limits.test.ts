import { piLimits } from "@sandbox-agent/schema/driver-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"
import { expect } from "vitest"
import overHttp from "../../../src/drivers/pi/extension/mcp-http.ts"
import overStdio from "../../../src/drivers/pi/extension/mcp-stdio.ts"
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

overfill(["mcpMessageChars"], "an MCP server that says more in one message is given up", async () => {
  const lost = (script: string) =>
    new Promise<string>((resolve) => {
      const heard: unknown[] = []
      const connect = overStdio({ command: process.execPath, args: ["-e", script] }, piLimits.mcpMessageChars)
      void connect(
        (message) => heard.push(message),
        (why) => resolve(`${why}, after ${heard.length}`),
      )
    })
  const message = `console.log('{"jsonrpc":"2.0","method":"a"}');`
  expect(await lost(`${message} process.exit(3)`)).toBe("it ended with code 3, after 1")
  const flood = `const piece = "x".repeat(1 << 20); const say = () => process.stdout.write(piece, say); say()`
  expect(await lost(`${message} ${flood}`)).toBe(
    `it said more than ${piLimits.mcpMessageChars} characters on one line, after 1`,
  )
  const endless = () => new ReadableStream({ pull: (stream) => stream.enqueue(Buffer.alloc(1 << 20, "x")) })
  using server = Bun.serve({ port: 0, fetch: () => new Response(endless()) })
  const why = await new Promise<string>((resolve) => {
    void overHttp({ type: "sse", url: server.url.href }, piLimits.mcpMessageChars)(() => {}, resolve)
  })
  expect(why).toBe(`it said more than ${piLimits.mcpMessageChars} characters in one event`)
})

expectAll()
