import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { closeProcess } from "../../../src/core/process.ts"
import type { Session } from "../../../src/core/session.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor, type ListingSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

const program = fileURLToPath(new URL("./talkative-agent.ts", import.meta.url))

/** Sessions of one process, whose agent goes on speaking of those that have left it. */
class TalkativeStage extends DriverStage {
  constructor() {
    const agent = { id: "talkative", name: "Talkative", args: [], env: {}, traits: { sessions: "many" as const } }
    const command = [process.execPath, "--no-env-file", program]
    const programs = alwaysThere({ installed: true, credentials: "available", command })
    super(createAcpDriver({ agent, programs, lingerMs: 60_000 }), (daemonId) =>
      createSupervisor({ daemonId, log: () => {} }),
    )
  }

  open = (id: string) => this.create(id, { agent: "talkative" })

  get processes(): number {
    return (this.core.context.supervisor as ListingSupervisor).list().length
  }

  /** What the agent was answered to all it asked. */
  async answered(s: Session): Promise<string> {
    await this.run("tell", s)
    return this.transcript(s).at(-1) ?? ""
  }

  /** Whatever it has in its log of others. */
  secrets = (s: Session): string[] =>
    this.events(s).flatMap((event) => JSON.stringify(event).match(/secret of \w+/g) ?? [])
}

const refused = (times: number) => `assistant: ${Array(times).fill("-32602").join(" ")}`

test("what an agent says and asks of a deleted session goes to nobody, and not to the next one that opens", async () => {
  await using stage = new TalkativeStage()
  const first = await stage.open("first")
  await stage.run("hello", first)
  await stage.core.sessions.delete(first)
  const next = await stage.open("next")
  expect(await stage.answered(next)).toBe(refused(2))
  expect([stage.secrets(next), stage.of("permission.requested", next)]).toEqual([[], []])
  expect(stage.of("session.updated", next).flatMap(({ data }) => data.commands?.[0]?.name ?? [])).toEqual(["S2"])
  expect(stage.processes).toBe(1)
})

test("nor to one that is resumed; a session that has left and is resumed itself is heard again", async () => {
  await using stage = new TalkativeStage()
  const [one, two] = [await stage.open("one"), await stage.open("two")]
  for (const s of [one, two]) await stage.run("hello", s)
  for (const s of [one, two]) await closeProcess(s)
  expect(await stage.answered(one)).toBe(refused(2))
  expect([stage.secrets(one), stage.of("permission.requested", one)]).toEqual([[], []])
  expect(stage.transcript(one)).toEqual(["user: hello", "assistant: yes", "user: tell", refused(2)])
  await stage.run("hello", two)
  expect(stage.transcript(two).at(-1)).toBe("assistant: yes")
  expect([stage.processes, stage.wrongs()]).toEqual([1, []])
})
