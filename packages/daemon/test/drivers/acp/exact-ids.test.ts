import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { withExactIds } from "../../../src/drivers/acp/exact-ids.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

const program = fileURLToPath(new URL("./numbering-agent.ts", import.meta.url))

test.each(["one", "many"] as const)(
  "requests numbered beyond what a double holds are answered by their number, and taken back by it (%s)",
  async (sessions) => {
    const agent = { id: "numbering", name: "Numbering", args: [], env: {}, traits: { sessions } }
    const command = [process.execPath, "--no-env-file", program]
    const programs = alwaysThere({ installed: true, credentials: "available", command })
    const supervisor = (daemonId: string) => createSupervisor({ daemonId, log: () => {} })
    await using stage = new DriverStage(createAcpDriver({ agent, programs }), supervisor)
    await stage.create("one", { agent: "numbering" })
    const ended = stage.run("hello")
    // The one whose number rounds to the same stays open.
    await stage.permission(2)
    const { permission_id: id } = await stage.permission(1)
    await expect.poll(() => [...stage.session.requests.keys()]).toEqual([id])
    await stage.reply(id, "once")
    expect(await ended).toMatchObject({ stop_reason: "end_turn" })
    const [noted, withdrawn, allowed] = stage
      .transcript()
      .join("")
      .split(/(?=\{"jsonrpc")/)
      .filter((line) => line.startsWith("{"))
    expect(noted).toContain('"id":9007199254740993,')
    expect(withdrawn).toMatch(/"id":9223372036854775807,"(error|result)"/)
    expect(allowed).toContain('"id":9223372036854775806,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}')
  },
)

test("other ids are left as they are", () => {
  for (const id of [0, -1, "9007199254740993", null, undefined, Number.MAX_SAFE_INTEGER]) {
    const message = { id, method: "m", params: { requestId: 2 ** 60 } }
    expect(withExactIds(message, JSON.stringify(message))).toBe(message)
  }
})

test.each(["9007199254740993", "-9007199254740993", "1.5", "1e999"])("%s is written again as it stood", (id) => {
  const again = (raw: string) => JSON.stringify(withExactIds(JSON.parse(raw), raw))
  const request = `{"method":"m","params":{"id":1},"id":${id}}`
  expect(again(request)).toBe(request)
  const notice = `{"method":"$/cancel_request","params":{"a":{"requestId":2},"requestId":${id}}}`
  expect(again(notice)).toBe(notice)
})
