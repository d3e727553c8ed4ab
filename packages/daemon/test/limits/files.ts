import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, onTestFinished } from "vitest"
import { layOutSkills } from "../../src/core/skill-folders.ts"
import { discover } from "../../src/credentials/discover.ts"
import { Confinement } from "../../src/files/confinement.ts"
import { linesOf } from "../../src/files/lines-of.ts"
import { homeWith } from "../credentials/home.ts"
import { startDaemon } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"

/** Files that agents and users leave for us to read, and lines that agents write. */
overfill(["settingsFileBytes"], "a larger file of an agent is not read, which a note says", () => {
  const file = ".codex/auth.json"
  const home = homeWith({ [file]: "{}".padEnd(limits.settingsFileBytes) })
  expect(discover("codex", {}, home).notes).toEqual([])
  appendFileSync(join(home, file), " ")
  expect(discover("codex", {}, home).notes).toEqual([expect.stringContaining("cannot be read")])
})

overfill(["transcriptBytes"], "a session with a longer transcript is not adopted", async () => {
  await using daemon = await startDaemon()
  const folder = join(daemon.dataDir, "agents", "mock", "sessions")
  mkdirSync(folder, { recursive: true })
  const adopt = (id: string) => daemon.api.call("POST", `/v1/sessions/${id}`, { agent: "mock", nativeSessionId: id })
  writeFileSync(join(folder, "short.jsonl"), "")
  writeFileSync(join(folder, "long.jsonl"), "")
  truncateSync(join(folder, "long.jsonl"), limits.transcriptBytes + 1)
  expect([(await adopt("short")).status, (await adopt("long")).status]).toEqual([201, 413])
  // One whose size says nothing: it is given up where its lines are read.
  const endless = await open("/dev/zero")
  onTestFinished(() => endless.close())
  await expect(Array.fromAsync(linesOf(endless, "/dev/zero"))).rejects.toMatchObject({ code: "payload_too_large" })
})

const skillWith = (add: (folder: string) => void) => async () => {
  const folder = homeWith({ "s/SKILL.md": "---\nname: s\ndescription: d\n---\nDo it." })
  add(join(folder, "s"))
  const skills = [{ name: "s", path: join(folder, "s") }]
  await layOutSkills({ files: new Confinement() }, (work) => work(), skills, "/", join(folder, "copied"))
}

overfill(["skillFiles"], "a skill with one more is refused", async () => {
  const files = (count: number) =>
    skillWith((folder) => {
      for (let n = 1; n < count; n++) writeFileSync(join(folder, String(n)), "")
    })
  await files(limits.skillFiles)()
  await expect(files(limits.skillFiles + 1)()).rejects.toMatchObject({ code: "payload_too_large" })
})

overfill(["skillBytes"], "a skill with more is refused", async () => {
  const bytes = (count: number) =>
    skillWith((folder) => {
      writeFileSync(join(folder, "long"), "")
      truncateSync(join(folder, "long"), count)
    })
  await expect(bytes(limits.skillBytes)()).rejects.toMatchObject({ code: "payload_too_large" })
  await bytes(limits.skillBytes / 8)()
})

overfill(["agentLineDepth"], "a line that is nested deeper is not read", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
  expect(parseOfAgent(nested(limits.agentLineDepth))).toHaveLength(1)
  expect(() => parseOfAgent(nested(limits.agentLineDepth + 1))).toThrow(/nested deeper/)
})
