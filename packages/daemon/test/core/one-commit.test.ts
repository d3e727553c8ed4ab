import { expect, test } from "vitest"
import type { Acp } from "../../src/faces/acp/acp.ts"
import { Connections } from "../../src/faces/acp/connections.ts"
import { takeCall } from "../../src/faces/acp/dispatch.ts"
import { traitsOf } from "../../src/faces/acp/projection/traits.ts"
import { AcpRows } from "../../src/store/acp-rows.ts"
import { type Stage, setStage } from "./stage.ts"

interface Noted {
  commits: number
  state: string | undefined
  types: string[]
}

/** A stage whose agent notes what is on disk at the moment it is told of a message. */
async function noting(): Promise<{ stage: Stage; noted: Noted[] }> {
  const noted: Noted[] = []
  const stage: Stage = await setStage({
    behaviour: {
      send: async ({ id }) => {
        const { store, rows, reader } = stage.core.context
        const texts = reader.texts(stage.session.log, 0, 1_000)
        const types = texts.map(({ json }) => (JSON.parse(json) as { type: string }).type).slice(-2)
        noted.push({
          commits: store.stats.commits,
          state: rows.message(stage.session.record.uid, id)?.state,
          types,
        })
      },
    },
  })
  stage.core.context.store.flush()
  return { stage, noted }
}

const onDisk = { state: "sending", types: ["message.updated", "turn.started"] }

test("a message to a session at rest is one commit, and the agent is told after it", async () => {
  const { stage, noted } = await noting()
  await using _ = stage
  const { commits } = stage.core.context.store.stats
  await stage.post("hi")
  await stage.puppet.until("send")
  expect(noted).toEqual([{ commits: commits + 1, ...onDisk }])
})

test("with an id of the client's, too", async () => {
  const { stage, noted } = await noting()
  await using _ = stage
  const { commits } = stage.core.context.store.stats
  await stage.post("hi", { messageId: "msg_mine" })
  await stage.puppet.until("send")
  expect(noted).toEqual([{ commits: commits + 1, ...onDisk }])
})

test("a prompt over ACP is one commit with the call that waits for its end", async () => {
  const { stage, noted } = await noting()
  await using _ = stage
  const { context, sessions } = stage.core
  const { store } = context
  const rows = new AcpRows(store.db, () => store.flush())
  const services = { sessions, log: context.log } as unknown as Acp["services"]
  const connections = new Connections({ services, store, rows })
  const acp = { services, store, rows, connections } as unknown as Acp
  const connection = connections.open("official", "/v1/rpc", "puppet", traitsOf({}))
  const prompt = { sessionId: "one", prompt: [{ type: "text", text: "hi" }] }
  const nobody = { agent: undefined, client: { agentProcess: async () => undefined } }
  const call = (id: number) =>
    takeCall(acp, connection, { kind: "call", id, method: "session/prompt", params: prompt }, nobody)
  connections.touch(connection)
  // The first one attaches the client, which begins with a commit of its own.
  const messageOf = async ({ done }: ReturnType<typeof call>): Promise<string> => {
    const outcome = await done
    if (!("messageId" in outcome)) throw new Error(JSON.stringify(outcome))
    return outcome.messageId
  }
  const first = await messageOf(call(1))
  await stage.puppet.until("send")
  stage.say(() => stage.sink.taken(first))
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  context.store.flush()
  const { commits } = context.store.stats
  const second = await messageOf(call(2))
  await stage.puppet.until("send", 2)
  expect(noted[1]).toEqual({ commits: commits + 1, ...onDisk })
  expect(rows.prompts(connection.uid, stage.session.record.uid).map(({ message }) => message)).toContain(second)
})

test("a message that finds no room on the disk is told to nobody, and goes once there is some", async () => {
  const { stage, noted } = await noting()
  await using _ = stage
  const { store } = stage.core.context
  let full = true
  store.write(() => {
    if (full) throw new Error("no room")
  })
  const refused = stage.post("hi").catch((error: unknown) => error)
  for (let attempt = 0; attempt < 3; attempt++) store.flush()
  expect(await refused).toMatchObject({ code: "unavailable" })
  expect([noted, stage.session.queue.length, stage.session.status]).toEqual([[], 1, "idle"])
  full = false
  store.flush()
  await stage.puppet.until("send")
  expect(noted).toMatchObject([{ state: "sending", types: ["turn.ended", "turn.started"] }])
  expect(stage.of("message.updated").map(({ data }) => data.state)).toEqual(["queued", "queued"])
  expect(stage.puppet.asked.map(({ call }) => call)).toEqual(["send"])
})
