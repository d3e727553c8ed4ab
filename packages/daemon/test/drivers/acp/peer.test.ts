import { expect, test } from "vitest"
import { incomingOf, type Outcome, Peer, RpcError } from "../../../src/drivers/acp/peer.ts"

function open() {
  const lines: Record<string, unknown>[] = []
  const peer = new Peer<string>(async (line) => void lines.push(JSON.parse(line)))
  return { peer, lines }
}

test("an answer finds its request; 0 is an id; an error is one", async () => {
  const { peer, lines } = open()
  const first = peer.request("one", {}, { owner: "a" })
  const second = peer.request("two", { x: 1 }, { owner: "b" })
  expect(lines).toEqual([
    { jsonrpc: "2.0", id: 0, method: "one", params: {} },
    { jsonrpc: "2.0", id: 1, method: "two", params: { x: 1 } },
  ])
  expect([peer.ownerOf(0), peer.ownerOf(1), peer.ownerOf("0")]).toEqual(["a", "b", undefined])
  expect(peer.settle({ id: 1, error: { code: -32000, message: "log in" } })).toBe(true)
  expect(peer.settle({ id: 0, result: { ok: true } })).toBe(true)
  expect(await first).toEqual({ ok: true })
  await expect(second).rejects.toMatchObject({ method: "two", failure: { code: -32000, message: "log in" } })
  await expect(second).rejects.toBeInstanceOf(RpcError)
  expect(peer.settle({ id: 0, result: {} })).toBe(false)
})

test("an error of null is none, beside a result and without", async () => {
  const { peer } = open()
  const [first, second] = ["one", "two"].map((method) => peer.request(method, {}, { owner: "a" }))
  peer.settle({ id: 0, result: { ok: true }, error: null })
  peer.settle({ id: 1, error: null })
  expect([await first, await second]).toEqual([{ ok: true }, {}])
})

test("what waits is answered by its id alone; nothing else is", () => {
  const { peer } = open()
  void peer.request("one", {}, { owner: "a" })
  const told = (message: Record<string, unknown>) => incomingOf(message, peer.isAwaited)
  for (const other of [{ id: 1 }, { id: "0" }, { id: 0, method: 7 }]) expect(() => told(other)).toThrow("JSON-RPC")
  expect(told({ id: 0 })).toBeUndefined()
  expect([peer.settle({ id: 0 }), peer.settle({ id: 0 })]).toEqual([true, false])
  expect(() => told({ id: 0 })).toThrow("JSON-RPC")
})

test("an answer always has its result", async () => {
  const { peer, lines } = open()
  await peer.respond(5, undefined, "a")
  expect(lines).toEqual([{ jsonrpc: "2.0", id: 5, result: null }])
})

test("the answer is told while its line is read, before anybody who waits", () => {
  const { peer } = open()
  const reported: Outcome[] = []
  void peer.request("one", {}, { owner: "a", onReply: (outcome) => reported.push(outcome) })
  peer.settle({ id: 0, result: { n: 1 } })
  expect(reported).toEqual([{ result: { n: 1 } }])
})

test("whatever waits when the process dies is settled, and so is what comes later", async () => {
  const { peer } = open()
  const waiting = [1, 2, 3].map(() => peer.request("x", {}, { owner: "a" }))
  peer.close(new Error("gone"))
  const late = peer.ask("y", {}, { owner: "a" })
  for (const promise of [...waiting, late.reply, late.written, peer.notify("z", {}, "a")])
    await expect(promise).rejects.toThrow("gone")
})

test("a pipe that is broken settles the request", async () => {
  const peer = new Peer<string>(() => Promise.reject(new Error("broken pipe")))
  const { written, reply } = peer.ask("x", {}, { owner: "a" })
  await expect(written).rejects.toThrow("broken pipe")
  await expect(reply).rejects.toThrow("broken pipe")
})

test("a request nobody waits for is taken back, once it was sent and while it is open", () => {
  const { peer, lines } = open()
  const [wanted, unwanted] = [new AbortController(), new AbortController()]
  void peer.request("x", {}, { owner: "a", signal: unwanted.signal })
  void peer.request("y", {}, { owner: "a", signal: wanted.signal })
  peer.settle({ id: 1, result: {} })
  unwanted.abort()
  wanted.abort()
  expect(lines.slice(2)).toEqual([{ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 0 } }])
})

test("requests, notifications and answers are told apart; anything else is no JSON-RPC", () => {
  const told = (message: Record<string, unknown>) => incomingOf(message, () => false)
  expect(told({ method: "m", id: 0 })).toEqual({ method: "m", params: {}, id: 0 })
  expect(told({ method: "m", params: { a: 1 } })).toEqual({ method: "m", params: { a: 1 } })
  expect(told({ id: 0, result: null })).toBeUndefined()
  for (const other of [{}, { id: 1 }, { params: {} }]) expect(() => told(other)).toThrow("JSON-RPC")
})
