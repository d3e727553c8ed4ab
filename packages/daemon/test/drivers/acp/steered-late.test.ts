import { expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import type { Native } from "../../../src/core/driver.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { RecordedProcess } from "../recorded-process.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

interface Message {
  id?: number
  method?: string
  params?: { prompt?: { text?: string }[] }
}

test("a message for a turn that is cancelled while its files are read is not steered into that turn", async () => {
  const process = new RecordedProcess<Message>()
  const programs = alwaysThere({ installed: true, credentials: "available", command: ["puppet"] })
  const agent = { id: "puppet", name: "Puppet", args: [], env: {}, traits: {} }
  const driver = createAcpDriver({ agent, programs, lingerMs: 0 })
  await using stage = new DriverStage(driver, () => process.supervisor)
  const answer = async (method: string, result: object) => {
    const { id, params } = await process.until((line) => line.method === method)
    process.say({ jsonrpc: "2.0", id, result })
    return params
  }
  const created = stage.create("steered", { agent: "puppet" })
  await answer("initialize", { protocolVersion: 1, _meta: { steering: { supported: true } } })
  await answer("session/new", { sessionId: "s" })
  const session = await created
  const first = await stage.post("first")
  const { id } = await process.until(({ method }) => method === "session/prompt")
  await stage.until("message.updated", ({ data }) => data.message_id === first && data.state === "taken")

  const native = session.native as Native
  const { steer } = native
  const cancelled = Promise.withResolvers<unknown>()
  native.steer = async (message) => {
    const given = steer?.(message) ?? false
    cancelTurn(session, {}).then(cancelled.resolve, cancelled.reject)
    native.interrupt().catch(cancelled.reject)
    return given
  }
  await stage.post("second", { delivery: "steer" })
  await process.until(({ method }) => method === "session/cancel")
  process.say({ jsonrpc: "2.0", id, result: { stopReason: "cancelled" } })
  await cancelled.promise
  expect((await answer("session/prompt", { stopReason: "end_turn" }))?.prompt).toMatchObject([{ text: "second" }])
  expect(process.written.map(({ method }) => method)).not.toContain("_session/steering")
})
