import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { opencodeLimits } from "@sandbox-agent/schema/driver-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"
import { expect, onTestFinished } from "vitest"
import type { Sink } from "../../../src/core/driver-sink.ts"
import type { SpawnOptions } from "../../../src/core/supervisor.ts"
import { Client } from "../../../src/drivers/opencode/client.ts"
import { promptParts } from "../../../src/drivers/opencode/message.ts"
import { startProcess } from "../../../src/drivers/opencode/process.ts"
import { type Project, projectOf } from "../../../src/drivers/opencode/project.ts"
import { reconnectDelay, Server } from "../../../src/drivers/opencode/server.ts"
import { Turns } from "../../../src/drivers/opencode/turns.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { scratch } from "../../harness/daemon.ts"
import { recordedUntil } from "./replay.ts"
import { recorded } from "./transcripts.ts"

const { overfill, expectAll } = overfilling(opencodeLimits)

/** An HTTP server in the place of OpenCode's. */
function serve(fetch: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch })
  onTestFinished(() => server.stop(true))
  return `http://127.0.0.1:${server.port}`
}

const hooks = { signal: new AbortController().signal, room: () => undefined, lost: () => undefined } as never
const host = { log: () => {}, home: "/" } as never
const never = () => new Promise<Response>(() => {})

function listening(url: string, bounds: { connectMs?: number; silenceMs?: number }): Server {
  const server = new Server(new Client(url, "secret"), hooks, host, async () => {}, { ...opencodeLimits, ...bounds })
  onTestFinished(() => server.end())
  return server
}

overfill(["connectMs"], "a server whose events do not come is not waited for longer", async () => {
  const server = listening(serve(never), { connectMs: 20 })
  await expect(server.listen()).rejects.toMatchObject({ code: "timeout", detail: expect.stringContaining("20 ms") })
})

overfill(["silenceMs"], "a stream that says nothing for longer is opened again", async () => {
  const connected = `data: ${JSON.stringify({ payload: { type: "server.connected", properties: {} } })}\n\n`
  const again = Promise.withResolvers<void>()
  let streams = 0
  const url = serve(() => {
    if (++streams === 2) again.resolve()
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(connected)) })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })
  await listening(url, { silenceMs: 40 }).listen()
  await again.promise
})

overfill(["reconnectMs", "reconnectMaxMs"], "the first wait, doubled by each further failure up to the longest", () => {
  const waits = Array.from({ length: 8 }, (_, failures) => reconnectDelay(failures + 1))
  const { reconnectMs, reconnectMaxMs } = opencodeLimits
  expect(waits.slice(0, 3)).toEqual([reconnectMs, 2 * reconnectMs, 4 * reconnectMs])
  expect(waits.slice(-2)).toEqual([reconnectMaxMs, reconnectMaxMs])
})

overfill(["answerMs"], "a request that is not answered is given up", async () => {
  const client = new Client(serve(never), "secret", 20)
  await expect(client.call("GET /config/providers", { params: {} })).rejects.toMatchObject({ code: "timeout" })
})

overfill(["startTries"], "after so many ports that others take it fails", async () => {
  let started = 0
  const supervisor = {
    spawn: ({ onExit }: SpawnOptions) => {
      started++
      queueMicrotask(() =>
        onExit({ code: 1, stderr: { head: "Failed to start server: EADDRINUSE", truncated: false } }),
      )
      return { kill: async () => {} }
    },
  }
  const launch = { command: ["opencode"], env: {}, key: "k" } as never
  const start = startProcess(launch, hooks, { ...(host as object), supervisor } as never, () => {})
  await expect(start).rejects.toMatchObject({ code: "agent_process_exited" })
  expect(started).toBe(opencodeLimits.startTries)
})

overfill(["attachmentBytes"], "a larger picture is named by its path, not sent along", async () => {
  const parts = async (length: number) => {
    const attachment = { bytes: new Uint8Array(length), path: "/picture.png", mime: "image/png" }
    const message = { id: "m", text: "look", attachments: [attachment] }
    return (await promptParts(message as never, new Confinement())).map(({ type }) => type)
  }
  expect(await parts(opencodeLimits.attachmentBytes)).toEqual(["file", "text"])
  expect(await parts(opencodeLimits.attachmentBytes + 1)).toEqual(["text"])
})

overfill(["settleMs"], "a turn that was aborted ends though OpenCode says nothing more of it", async () => {
  const ended: unknown[] = []
  const sink = new Proxy({} as Sink, { get: () => () => undefined })
  const events = { began: () => {}, early: () => {}, ended: (outcome: unknown) => ended.push(outcome) }
  const turns = new Turns(sink, events)
  turns.busy()
  turns.aborting()
  await turns.aborted(1)
  expect(ended).toEqual([{ stop: "cancelled" }])
})

overfill(["earlyMs"], "an idle that came too early is asked about, and the turn ends", async () => {
  await using stage = await recordedUntil("text", ({ event }) =>
    JSON.stringify(event ?? "").includes("message.part.delta"),
  )
  const answer = recorded("text").findLast(({ kind, path }) => kind === "response" && path?.endsWith("/message"))
  stage.server.state.messages = answer?.body
  const sessionID = stage.session.record.native.id
  stage.server.say({ directory: "/workspace/a", payload: { type: "session.idle", properties: { sessionID } } })
  const { data } = await stage.until("turn.ended")
  expect(data.stop_reason).toBe("end_turn")
})

/** A project with so many commands, and something that keeps it from being read. */
function projectWith(commands: number, body: string): Promise<Project> {
  const directory = scratch()
  mkdirSync(join(directory, ".opencode", "command"), { recursive: true })
  for (let n = 0; n < commands; n++) writeFileSync(join(directory, ".opencode", "command", `c${n}.md`), body)
  writeFileSync(join(directory, "opencode.json"), JSON.stringify({ mcp: {} }))
  const version = () => Promise.resolve("1.18.18")
  return projectOf({ directory, bypass: false, env: { HOME: "/nowhere" }, version }, { reach: new Confinement() })
}

overfill(["projectFiles"], "a project that has more is one that runs programs", async () => {
  await expect(projectWith(opencodeLimits.projectFiles + 1, "")).rejects.toThrow("more files than are looked at")
})

overfill(["projectConfigBytes"], "what is longer is left out, and the log says so", async () => {
  expect(await projectWith(1, "short")).toMatchObject({ config: { command: { c0: { template: "short" } } } })
  const { config, leftOut } = await projectWith(1, "x".repeat(opencodeLimits.projectConfigBytes))
  expect([config.command, leftOut]).toEqual([undefined, expect.stringContaining("which are too long")])
})

overfill(["namedPowers"], "the rest is counted", async () => {
  const { leftOut } = await projectWith(opencodeLimits.namedPowers + 1, "!`true`")
  expect(leftOut).toMatch(/; 2 more$/)
})

expectAll()
