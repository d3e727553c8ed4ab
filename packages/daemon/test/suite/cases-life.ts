import { expect } from "vitest"
import { type Case, itemsOf, only, textOf } from "./scene.ts"

export const lifeCases: Case[] = [
  {
    name: "after kill -9 of the agent the turn ends, and the next message resumes it",
    needs: ["resume", "textMessages"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.turn(id, "say", "before")
      const { nativeSessionId, lastSequence } = await scene.api.session(id)
      await scene.api.send(id, await scene.prompt("longText"))
      await scene.api.until(id, "item.delta", () => true, lastSequence)
      const { pid } = (await scene.info()).process
      process.kill(pid ?? Number.NaN, "SIGKILL")
      const ended = await scene.api.until(id, "turn.ended", () => true, lastSequence)
      expect([ended.data.stop_reason, ended.data.error?.signal]).toEqual(["error", "SIGKILL"])
      expect(textOf(itemsOf(await scene.turn(id, "say", "after")))).toBe("after")
      const now = await scene.api.session(id)
      expect([now.nativeSessionId, now.agentProcess]).toEqual([nativeSessionId, "live"])
      expect((await scene.info()).process.pid).not.toBe(pid)
    },
  },
  {
    name: "after kill -9 of the daemon the log is whole, the turn ended, and the session goes on",
    needs: ["resume", "textMessages"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.turn(id, "say", "before")
      const { nativeSessionId, lastSequence } = await scene.api.session(id)
      await scene.api.send(id, await scene.prompt("longText"))
      await scene.api.until(id, "item.delta", () => true, lastSequence)
      const seen = await scene.api.events(id)
      await scene.restart()
      const events = await scene.api.events(id)
      expect(events.slice(0, seen.length)).toEqual(seen)
      expect(only(events, "turn.ended").at(-1)?.data.error?.code).toBe("daemon_restarted")
      expect(only(events, "session.ended")).toEqual([])
      expect(textOf(itemsOf(await scene.turn(id, "say", "after")))).toBe("after")
      expect((await scene.api.session(id)).nativeSessionId).toBe(nativeSessionId)
    },
  },
  {
    name: "a terminated session is brought back, and its log goes on",
    needs: ["resume", "sessionLifecycle"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.turn(id, "say", "before")
      const { nativeSessionId } = await scene.api.session(id)
      await scene.api.ok("POST", `/v1/sessions/${id}/terminate`)
      expect((await scene.api.call("POST", `/v1/sessions/${id}/messages`, { message: "hi" })).status).toBe(409)
      const resumed = await scene.api.ok<{ healthy: boolean }>("POST", `/v1/sessions/${id}/resume`)
      expect(resumed.healthy).toBe(true)
      expect(textOf(itemsOf(await scene.turn(id, "say", "after")))).toBe("after")
      expect((await scene.api.session(id)).nativeSessionId).toBe(nativeSessionId)
      const lifecycle = (await scene.api.events(id)).filter(
        ({ type }) => type === "session.started" || type === "session.ended",
      )
      expect(lifecycle.map(({ type }) => type)).toEqual(["session.started", "session.ended", "session.started"])
    },
  },
  {
    name: "a fork stands alone: it has the items so far, and goes its own way",
    needs: ["fork", "textMessages"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.turn(id, "say", "shared")
      const fork = await scene.api.ok<{ healthy: boolean; forkedAtSequence: number }>(
        "POST",
        `/v1/sessions/${id}/fork`,
        { id: `${id}-fork` },
      )
      scene.keep(`${id}-fork`)
      expect(fork.healthy).toBe(true)
      await scene.turn(`${id}-fork`, "say", "of the fork")
      await scene.turn(id, "say", "of the first")
      expect(textOf((await scene.api.items(`${id}-fork`)).items)).toBe("sharedof the fork")
      expect(textOf((await scene.api.items(id)).items)).toBe("sharedof the first")
      const [one, other] = await Promise.all([scene.api.session(id), scene.api.session(`${id}-fork`)])
      expect(one.nativeSessionId).not.toBe(other.nativeSessionId)
    },
  },
  {
    name: "two sessions share one process, and the end of one leaves the other",
    needs: ["sharedProcess"],
    async run(scene) {
      const [one, other] = [await scene.session(), await scene.session()]
      await Promise.all([scene.turn(one.id, "say", "one"), scene.turn(other.id, "say", "other")])
      const metrics = (await scene.api.call<string>("GET", "/metrics")).body
      expect(metrics).toMatch(/^sandbox_agent_agent_processes 1$/m)
      await scene.api.ok("POST", `/v1/sessions/${one.id}/terminate`)
      expect(textOf(itemsOf(await scene.turn(other.id, "say", "still here")))).toBe("still here")
    },
  },
]
