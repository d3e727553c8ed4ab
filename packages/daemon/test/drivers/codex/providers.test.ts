import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { configFor } from "./live.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()

test("a thread belongs to its provider: while the configuration names another its turns are its own or refused in words", {
  timeout: 180_000,
}, async () => {
  const { live } = shared
  const home = join(live.directory, "changing")
  mkdirSync(home)
  const config = configFor(live.model.url)
  const use = (name: string) => writeFileSync(join(home, "config.toml"), config.replaceAll("scripted", name))
  const body = { permissionMode: "bypass", env: { CODEX_HOME: home } } as const
  use("scripted")
  const first = await live.open(["one", "two", "three"], body)
  expect(await live.run("hi", first)).toMatchObject({ stop_reason: "end_turn" })
  use("another")
  const second = await live.open(["of another"], body)
  expect(await live.run("hi", second)).toMatchObject({ stop_reason: "end_turn" })
  const { error } = await live.run("again", first)
  // Newer versions, such as 0.169, go on with the one it was made with.
  if (error === undefined) expect(live.transcript(first).at(-1)).toBe("assistant: two")
  else {
    expect(error.code).toBe("invalid_request")
    expect(error.message).toContain("uses scripted, but your current provider is another")
  }
  use("scripted")
  expect(await live.run("and again", first)).toMatchObject({ stop_reason: "end_turn" })
  expect(live.transcript(first).at(-1)).toBe(error === undefined ? "assistant: three" : "assistant: two")
  expect(live.wrongs()).toEqual([])
})
