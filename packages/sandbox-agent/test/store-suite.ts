import { describe, expect, test } from "vitest"
import type { Event, SessionInfo } from "../src/sandbox-agent.ts"
import { followStored } from "../src/store/follow.ts"
import type { Lease, SessionStore } from "../src/store/session-store.ts"

const infoOf = (id: string, createdAt = "2026-11-16T10:00:00.000Z", agent = "mock"): SessionInfo =>
  ({ id, createdAt, agent, title: `title of ${id}` }) as unknown as SessionInfo

const eventOf = (id: string, sequence: number, text?: string): Event =>
  (text === undefined
    ? { session_id: id, sequence, type: "item.delta", data: { delta: "zero \0 and ä" } }
    : {
        session_id: id,
        sequence,
        type: "item.completed",
        data: { item: { item_id: `i${sequence}`, role: "user", content: [{ type: "text", text }] } },
      }) as unknown as Event

const eventsOf = (id: string, from: number, to: number): Event[] =>
  Array.from({ length: to - from + 1 }, (_, at) => eventOf(id, from + at))

const sequences = ({ events }: { events: readonly Event[] }) => events.map(({ sequence }) => sequence)

async function held(store: SessionStore, sandbox: string): Promise<Lease> {
  return (await store.lease(sandbox, `of ${sandbox}`, 60_000)) ?? expect.unreachable("the lease is another's")
}

async function begun(store: SessionStore, sandbox: string, ...infos: SessionInfo[]) {
  const lease = await held(store, sandbox)
  return { lease, uids: (await store.open(lease, infos)).map(({ uid }) => uid) }
}

/** What every store does. `open` gives an empty one each time; `again` the same one by another way, where there is such. */
export function storeSuite(
  name: string,
  open: () => Promise<SessionStore>,
  again?: (store: SessionStore) => Promise<SessionStore>,
): void {
  describe(name, () => {
    test("an event is stored once and in its place; a gap is refused, with all that came with it", async () => {
      await using store = await open()
      const ref = { sandbox: "box", id: "s" }
      const { lease, uids } = await begun(store, "box", infoOf("s"), infoOf("t"))
      const [uid = "", other = ""] = uids
      await store.append(lease, [{ uid, events: eventsOf("s", 1, 3) }])
      await store.append(lease, [{ uid, events: eventsOf("s", 2, 5) }])
      expect(sequences(await store.events(ref))).toEqual([1, 2, 3, 4, 5])
      const broken = store.append(lease, [
        { uid: other, events: eventsOf("t", 1, 2) },
        { uid, events: [eventOf("s", 7)] },
      ])
      await expect(broken).rejects.toMatchObject({ kind: "store", code: "gap" })
      expect(await store.get({ sandbox: "box", id: "t" })).toMatchObject({ lastSequence: 0 })
      expect((await store.events(ref)).events[0]).toEqual(eventOf("s", 1))
      expect(await store.open(lease, [infoOf("s")])).toEqual([{ uid, lastSequence: 5 }])
      await expect(store.append(lease, [{ uid: "999", events: [] }])).rejects.toMatchObject({
        code: "session_not_found",
      })
      await expect(store.events({ sandbox: "box", id: "none" })).rejects.toMatchObject({ code: "session_not_found" })
      expect(await store.get({ sandbox: "none", id: "s" })).toBeUndefined()
    })

    test("what the daemon had no more is remembered, and the log goes on behind it", async () => {
      await using store = await open()
      const { lease, uids } = await begun(store, "box", infoOf("s"))
      const [uid = ""] = uids
      await store.append(lease, [{ uid, events: eventsOf("s", 1, 2) }])
      await store.append(lease, [{ uid, lost: { from: 3, to: 9 }, events: eventsOf("s", 10, 11) }])
      await store.append(lease, [{ uid, lost: { from: 3, to: 9 }, events: [] }])
      const ref = { sandbox: "box", id: "s" }
      expect(await store.get(ref)).toMatchObject({ lastSequence: 11, lost: [{ from: 3, to: 9 }] })
      expect(sequences(await store.events(ref))).toEqual([1, 2, 10, 11])
      const late = store.append(lease, [{ uid, lost: { from: 13, to: 14 }, events: [] }])
      await expect(late).rejects.toMatchObject({ code: "gap" })
    })

    test("a sandbox is written by one holder at a time, who is known by its epoch", async () => {
      await using store = await open()
      const first = (await store.lease("box", "one", 60_000)) ?? expect.unreachable("nobody has it")
      expect(await store.lease("box", "two", 60_000)).toBeUndefined()
      expect(await store.lease("box", "one", 60_000)).toEqual(first)
      expect(await store.lease("other", "two", 60_000)).toMatchObject({ sandbox: "other", epoch: 1 })
      await store.release(first)
      const second = (await store.lease("box", "two", 1)) ?? expect.unreachable("it was released")
      expect(second.epoch).toBe(first.epoch + 1)
      await expect(store.open(first, [infoOf("s")])).rejects.toMatchObject({ kind: "store", code: "lease_lost" })
      await expect(store.append(first, [])).rejects.toMatchObject({ code: "lease_lost" })
      await expect(store.markDeleted(first, ["s"])).rejects.toMatchObject({ code: "lease_lost" })
      // Its time is over in a moment, and whoever asks has it.
      let third: Lease | undefined
      while (third === undefined) third = await store.lease("box", "three", 60_000)
      expect(third.epoch).toBe(second.epoch + 1)
      await expect(store.open(second, [infoOf("s")])).rejects.toMatchObject({ code: "lease_lost" })
    })

    test("sessions are listed newest first, by page, of one sandbox or of all", async () => {
      await using store = await open()
      const days = Array.from({ length: 5 }, (_, at) => `2026-11-0${at + 1}T00:00:00.000Z`)
      const one = await begun(store, "one", ...days.map((day, at) => infoOf(`a${at}`, day)))
      await begun(store, "two", ...days.map((day, at) => infoOf(`b${at}`, day, "codex")))
      const seen: string[] = []
      for (let cursor: string | undefined; ; ) {
        const page = await store.list({ limit: 3, cursor })
        seen.push(...page.sessions.map(({ id }) => id))
        cursor = page.nextCursor
        if (cursor === undefined) break
      }
      expect(seen).toEqual([4, 3, 2, 1, 0].flatMap((at) => [`b${at}`, `a${at}`]))
      const ids = async (query: object) => (await store.list(query)).sessions.map(({ id }) => id)
      expect(await ids({ sandbox: "one" })).toEqual(["a4", "a3", "a2", "a1", "a0"])
      expect(await ids({ agent: "codex", limit: 2 })).toEqual(["b4", "b3"])
      await store.markDeleted(one.lease, ["a3", "nothing"])
      expect(await ids({ sandbox: "one", deleted: false })).toEqual(["a4", "a2", "a1", "a0"])
      expect(await store.get({ sandbox: "one", id: "a3" })).toMatchObject({
        deletedAt: expect.any(String),
        info: { title: "title of a3" },
      })
      await expect(store.list({ cursor: "nonsense" })).rejects.toMatchObject({ kind: "argument" })
    })

    test("an id that is used again is another session", async () => {
      await using store = await open()
      const later = "2026-11-17T00:00:00.000Z"
      const { lease, uids } = await begun(store, "box", infoOf("s"), infoOf("s", later))
      const [old = "", fresh = ""] = uids
      expect(old).not.toBe(fresh)
      await store.append(lease, [
        { uid: old, events: eventsOf("s", 1, 3) },
        { uid: fresh, events: eventsOf("s", 1, 1) },
      ])
      expect(await store.get({ sandbox: "box", id: "s" })).toMatchObject({ createdAt: later, lastSequence: 1 })
      const ref = { sandbox: "box", id: "s", createdAt: infoOf("s").createdAt }
      expect(sequences(await store.events(ref))).toEqual([1, 2, 3])
    })

    test("what was said is found by the beginnings of its words", async () => {
      await using store = await open()
      const one = await begun(store, "one", infoOf("s"))
      const two = await begun(store, "two", infoOf("t", "2026-11-17T00:00:00.000Z"))
      const said = ["Fix the LOGIN-form at example.com", "größer \0 als zuvor", `${"x".repeat(3000)} last`]
      await store.append(one.lease, [
        { uid: one.uids[0] ?? "", events: said.map((text, at) => eventOf("s", at + 1, text)) },
      ])
      await store.append(two.lease, [{ uid: two.uids[0] ?? "", events: [eventOf("t", 1, "the form is fixed")] }])
      const found = async (text: string, query = {}) =>
        (await store.search(text, query)).map(({ session, sequence }) => `${session.id}${sequence}`)
      expect(await found("form")).toEqual(["t1", "s1"])
      expect(await found("fix form", { limit: 1 })).toEqual(["t1"])
      expect(await found("form", { sandbox: "one" })).toEqual(["s1"])
      expect(await found("LOG exam com")).toEqual(["s1"])
      expect(await found("GRÖSS")).toEqual([])
      expect(await found("größ")).toEqual(["s2"])
      expect(await found("last")).toEqual(["s3"])
      expect(await found("orm")).toEqual([])
      expect(await found("\"' & | ! *")).toEqual([])
      expect((await store.search("zuvor"))[0]).toMatchObject({
        session: { sandbox: "one" },
        text: "größer   als zuvor",
      })
    })

    test("of a word that is everywhere the newest are found, across months", async () => {
      await using store = await open()
      const old = infoOf("old", "2026-10-02T00:00:00.000Z")
      const { lease, uids } = await begun(store, "box", old, infoOf("s"))
      const said = (id: string, count: number) =>
        Array.from({ length: count }, (_, at) => eventOf(id, at + 1, `again ${at === 3 ? "rare" : "and again"}`))
      await store.append(lease, [
        { uid: uids[0] ?? "", events: said("old", 1100) },
        { uid: uids[1] ?? "", events: said("s", 30) },
      ])
      const later = Array.from({ length: 990 }, (_, at) => eventOf("s", 31 + at, "something else"))
      await store.append(lease, [{ uid: uids[1] ?? "", events: later }])
      const places = async (text: string, limit: number, sandbox?: string) =>
        (await store.search(text, { limit, ...(sandbox && { sandbox }) })).map(
          ({ session, sequence }) => `${session.id}${sequence}`,
        )
      const newest = [...Array.from({ length: 30 }, (_, at) => `s${30 - at}`), "old1100", "old1099"]
      expect(await places("again", 32)).toEqual(newest)
      expect(await places("again", 32, "box")).toEqual(newest)
      expect(await places("again", 32, "other")).toEqual([])
      expect(await places("again rare", 32)).toEqual(["s4", "old4"])
      expect(await places("rare", 1)).toEqual(["s4"])
      expect(await places("else", 3)).toEqual(["s1020", "s1019", "s1018"])
    })

    test("who follows gets what is stored and what will be", async () => {
      await using store = await open()
      const { lease, uids } = await begun(store, "box", infoOf("s"))
      const [uid = ""] = uids
      await store.append(lease, [{ uid, events: eventsOf("s", 1, 1500) }])
      const reader = again === undefined ? store : await again(store)
      const stop = new AbortController()
      const told: string[] = []
      const off = reader.onStored(({ id }) => told.push(id))
      const seen: number[] = []
      const following = (async () => {
        const ref = { sandbox: "box", id: "s" }
        for await (const { sequence } of followStored(reader, ref, { offset: 2, signal: stop.signal, pollMs: 100 })) {
          seen.push(sequence)
          if (sequence === 1500) await store.append(lease, [{ uid, events: eventsOf("s", 1501, 1600) }])
          if (sequence === 1600) stop.abort()
        }
      })()
      await expect(following).rejects.toMatchObject({ kind: "aborted" })
      expect(seen).toEqual(Array.from({ length: 1598 }, (_, at) => at + 3))
      off()
      if (reader !== store) await reader.close()
    })

    test("pictures are stored once, are found by the sessions that name them, and go with the last of these", async () => {
      await using store = await open()
      const old = infoOf("old", "2026-11-02T00:00:00.000Z")
      const { lease, uids } = await begun(store, "box", old, infoOf("s"), infoOf("bare"))
      const [oldUid = "", uid = ""] = uids
      const picture = { hash: "a".repeat(64), mime: "image/png", bytes: new Uint8Array([0, 255, 10, 0, 137]) }
      const other = { hash: "b".repeat(64), mime: "", bytes: new Uint8Array(20_000).fill(7) }
      await Promise.all([store.saveBlob(lease, uid, picture), store.saveBlob(lease, oldUid, picture)])
      await store.saveBlob(lease, uid, { ...picture, mime: "text/html" })
      await store.saveBlob(lease, oldUid, other)
      const found = (id: string, { hash } = picture) => store.blob({ sandbox: "box", id }, hash)
      const reader = again === undefined ? store : await again(store)
      expect(await reader.blob({ sandbox: "box", id: "s" }, picture.hash)).toEqual(picture)
      if (reader !== store) await reader.close()
      expect(await found("old")).toEqual(picture)
      expect(await found("old", other)).toEqual(other)
      expect([await found("bare"), await found("s", other), await found("nobody")]).toEqual([
        undefined,
        undefined,
        undefined,
      ])
      await expect(store.saveBlob(lease, "999", picture)).rejects.toMatchObject({ code: "session_not_found" })
      await expect(store.saveBlob({ ...lease, epoch: 9 }, uid, picture)).rejects.toMatchObject({ code: "lease_lost" })
      // One of the two is dropped, in the same month; then both, and a session of the same bytes has none of theirs.
      expect(await store.drop(new Date("2026-11-10"))).toBe(1)
      expect([await found("s"), await found("old")]).toEqual([picture, undefined])
      const [back] = await store.open(lease, [old])
      expect(await found("old", other)).toBeUndefined()
      await store.saveBlob(lease, back?.uid ?? "", { ...other, mime: "image/gif" })
      expect(await found("old", other)).toEqual({ ...other, mime: "image/gif" })
      expect(await store.drop(new Date("2027-01-01"))).toBe(3)
      const [last] = await store.open(lease, [infoOf("s")])
      await store.saveBlob(lease, last?.uid ?? "", { ...picture, mime: "image/webp" })
      expect((await found("s"))?.mime).toBe("image/webp")
    })

    test("of an agent's own record the last is kept, and goes with its session", async () => {
      await using store = await open()
      const { lease, uids } = await begun(store, "box", infoOf("s"), infoOf("bare"))
      const [uid = ""] = uids
      const state = { nativeSessionId: "n", sequence: 3, data: new Uint8Array([31, 139, 0]) }
      await store.saveNativeState(lease, uid, state)
      const newer = { nativeSessionId: "m", sequence: 7, data: new Uint8Array([1, 255]) }
      await store.saveNativeState(lease, uid, newer)
      const reader = again === undefined ? store : await again(store)
      expect(await reader.nativeState({ sandbox: "box", id: "s" })).toEqual(newer)
      if (reader !== store) await reader.close()
      expect(await store.nativeState({ sandbox: "box", id: "bare" })).toBeUndefined()
      expect(await store.nativeState({ sandbox: "box", id: "nobody" })).toBeUndefined()
      await expect(store.saveNativeState(lease, "999", state)).rejects.toMatchObject({ code: "session_not_found" })
      const lost = store.saveNativeState({ ...lease, epoch: 9 }, uid, state)
      await expect(lost).rejects.toMatchObject({ code: "lease_lost" })
      await store.drop(new Date("2026-11-17"))
      await store.open(lease, [infoOf("s")])
      expect(await store.nativeState({ sandbox: "box", id: "s" })).toBeUndefined()
    })

    test("old sessions are dropped with all they have, and others stay", async () => {
      await using store = await open()
      const times = ["2026-08-30", "2026-09-01", "2026-09-20", "2026-10-02"].map((day) => `${day}T12:00:00.000Z`)
      const { lease, uids } = await begun(store, "box", ...times.map((time, at) => infoOf(`s${at}`, time)))
      await store.append(
        lease,
        uids.map((uid, at) => ({ uid, events: [eventOf(`s${at}`, 1, "something said")] })),
      )
      expect(await store.drop(new Date("2026-09-10"))).toBe(2)
      expect((await store.list()).sessions.map(({ id }) => id)).toEqual(["s3", "s2"])
      expect((await store.search("said")).map(({ session }) => session.id)).toEqual(["s3", "s2"])
      expect(sequences(await store.events({ sandbox: "box", id: "s2" }))).toEqual([1])
      // What is still on its daemon comes again.
      const [fresh] = await store.open(lease, [infoOf("s0", times[0])])
      await store.append(lease, [{ uid: fresh?.uid ?? "", events: [eventOf("s0", 1, "said again")] }])
      expect(await store.drop(new Date("2027-01-01"))).toBe(3)
      expect(await store.search("said")).toEqual([])
    })
  })
}
