import { describe, expect, test } from "vitest"
import { textOf, textsOf } from "./items.ts"
import { openSession } from "./session.ts"

describe("plain text", () => {
  test.each([
    "hello big world",
    "  leading and trailing  ",
    "two\nlines\n",
    "tabs\tand\r\nwindows",
    "naïve 日本語 👩‍👩‍👧 \u2028 end",
    " \n ",
  ])("is echoed exactly, a delta per word: %j", async (text) => {
    const { items, end } = await (await openSession()).run(text)
    expect(items.map(({ kind, role }) => ({ kind, role }))).toEqual([{ kind: "message", role: "assistant" }])
    expect(items[0]?.deltas.join("")).toBe(text)
    expect(items[0]?.end).toEqual({ status: "completed", content: [{ type: "text", text }] })
    expect(items[0]?.deltas.length).toBe(Math.max(1, text.trim().split(/\s+/).length + (/^\s+\S/.test(text) ? 1 : 0)))
    expect(end.stop).toBe("end_turn")
  })

  test("turn start and taken come before any output", async () => {
    const { calls } = await (await openSession()).run("hi")
    const reported = calls.filter(({ name }) => name !== "sent").map(({ name }) => name)
    expect(reported).toEqual(["turnStarted", "taken", "session", "open", "delta", "close", "turnEnded"])
    const start = calls.find((call) => call.name === "turnStarted")?.args[0]
    const end = calls.find((call) => call.name === "turnEnded")?.args[0]
    expect(start).toEqual({ origin: "message", native: expect.any(String) })
    expect(end).toEqual({ stop: "end_turn", native: (start as { native: string }).native })
  })

  test("an empty message is a turn without items", async () => {
    const { items, end } = await (await openSession()).run("")
    expect(items).toEqual([])
    expect(end.stop).toBe("end_turn")
  })
})

describe("a script", () => {
  test("runs line by line; plain lines between commands are one text", async () => {
    const { items } = await (await openSession()).run("one\ntwo\n/echo three\n\n/echo  four \r\n\nfive")
    expect(textsOf(items)).toEqual(["one\ntwo", "three", " four ", "\nfive"])
  })

  test("/echo is one block without deltas", async () => {
    const { items } = await (await openSession()).run("/echo all at once")
    expect(items[0]?.deltas).toEqual([])
    expect(textsOf(items)).toEqual(["all at once"])
  })

  test("/think is private reasoning in deltas", async () => {
    const { items } = await (await openSession()).run("/think let me see")
    expect(items[0]).toMatchObject({ kind: "message", role: "assistant", deltas: ["let ", "me ", "see"] })
    const content = [{ type: "reasoning", text: "let me see", visibility: "private" }]
    expect(items[0]?.end).toEqual({ status: "completed", content })
  })

  test("an unknown command is answered with the list of commands", async () => {
    const { items, end } = await (await openSession()).run("/nonsense 1\n/echo on")
    const [answer, next] = textsOf(items)
    expect(answer).toMatch(/^Unknown command \/nonsense\. .*\/echo TEXT, \/stream N \[BYTES\].*\/background MS$/)
    expect(next).toBe("on")
    expect(end.stop).toBe("end_turn")
  })

  test("the commands are exactly those of the specification", async () => {
    const { recorder } = await openSession()
    const names = recorder.of("session")[0]?.[0].commands?.map(({ name }) => name)
    const expected =
      "echo stream flood think tool edit run permission question questions plan todo usage subagent " +
      "image title sleep error garbage unknown crash exit hang grandchild background"
    expect(names).toEqual(expected.split(" "))
  })
})

describe("malformed arguments", () => {
  test.each([
    ...["/echo", "/think", "/tool", "/tool name", "/tool name {bad", "/edit", "/edit only-path", "/run", "/permission"],
    ...["/stream", "/stream abc", "/stream 0", "/stream 3 x", "/stream 1 2 3", "/stream -1", "/stream 1.5"],
    ...["/flood", "/flood 3", "/flood x 3", "/flood 3 0", "/flood 3 fast", "/title", "/error", "/sleep", "/sleep long"],
    ...["/sleep 9999999999", "/crash", "/crash x", "/crash 256", "/background", "/background soon"],
  ])("%s is answered with its usage, and the turn goes on", async (line) => {
    const { items, end } = await (await openSession()).run(`${line}\n/echo on`)
    const name = line.split(" ")[0]
    expect(items).toHaveLength(2)
    expect(textOf(items[0])).toMatch(new RegExp(`Usage: ${name} [A-Z]`))
    expect(textOf(items[1])).toBe("on")
    expect(end.stop).toBe("end_turn")
  })
})
