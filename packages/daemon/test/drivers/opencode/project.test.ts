import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { full } from "@sandbox-agent/test-agents/extent"
import { tested } from "@sandbox-agent/test-agents/opencode"
import { expect, test } from "vitest"
import type { Session } from "../../../src/core/session.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { closed, ordinary, projectOf } from "../../../src/drivers/opencode/project.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { scratch } from "../../harness/daemon.ts"
import { until } from "../../supervisor/processes.ts"
import type { Live } from "./live.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const timeout = 180_000

function put(path: string, content: string | object): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
}

const names = ["command", "skill", "tool", "server"] as const
const mark = (directory: string, name: string) => `${directory}.mark-${name}`
const marks = (directory: string) => names.filter((name) => existsSync(mark(directory, name)))
const page = (head: string, body: string) => `---\ndescription: ${head}\n---\n${body}`

/** A repository that would like to run: whatever does leaves a mark beside it. */
function hostile(live: Live, name: string): string {
  const directory = join(live.directory, name)
  const shell = (what: string) => `Do !\`touch ${mark(directory, what)}\` it`
  const program = (what: string) =>
    `import { writeFileSync } from "node:fs"; writeFileSync("${mark(directory, what)}", "")`
  const file = (path: string, content: string | object) => put(join(directory, path), content)
  file(".opencode/command/run.md", page("runs", shell("command")))
  file(".opencode/command/say.md", page("says", "SAY-MARK $ARGUMENTS"))
  file(".opencode/agent/reviewer.md", page("reviews\nmode: primary", "REVIEW-MARK"))
  file(".agents/skills/sly/SKILL.md", page("SLY-MARK\nname: sly", shell("skill")))
  file(".claude/skills/poem/SKILL.md", page("POEM-MARK\nname: poem", "Write one."))
  file(".opencode/tool/one.ts", program("tool"))
  file("opencode.json", {
    agent: { build: { prompt: "BUILD-MARK" } },
    mcp: { brought: { type: "local", command: ["touch", mark(directory, "server")] } },
  })
  file("AGENTS.md", "LLAMA-MARK")
  return directory
}

const said = (live: Live, session: Session) => {
  const own = live.model.requests.filter(({ headers }) => headers["x-session-id"] === session.record.native.id)
  return JSON.stringify(own.map(({ body }) => body))
}
const seen = (live: Live, session: Session) =>
  ["LLAMA", "POEM", "SLY", "REVIEW", "SAY", "BUILD"].filter((word) => said(live, session).includes(`${word}-MARK`))
const told = (live: Live, session: Session) =>
  JSON.stringify(live.items(session).filter(({ kind }) => kind === "status"))

test.each(full ? (["plan", "default"] as const) : (["plan"] as const))(
  "in %s nothing of a repository runs, and what does no harm holds",
  {
    timeout,
  },
  async (permissionMode) => {
    const { live } = shared
    const directory = hostile(live, `hostile-${permissionMode}`)
    const session = await live.open(["one", "two", "three", "four"], { directory, permissionMode })
    await live.run("/run", session)
    await live.run("/sly", session)
    expect(seen(live, session)).toEqual(["LLAMA", "POEM", "BUILD"])
    await live.run("/say it", session)
    await patchSession(session, { agentMode: "reviewer" })
    await live.run("go", session)
    expect(seen(live, session)).toEqual(["LLAMA", "POEM", "REVIEW", "SAY", "BUILD"])
    expect(marks(directory)).toEqual([])
    expect(told(live, session)).toContain("opencode.project_config")
    for (const what of [
      "mcp of opencode.json",
      "shell lines of .opencode/command/run.md",
      "shell lines of .agents/skills/sly/SKILL.md",
      ".opencode/tool/one.ts",
    ])
      expect(told(live, session)).toContain(what)
    expect(live.wrongs()).toEqual([])
  },
)

test("under bypass all of it is in force, and a session that leaves bypass goes on without", { timeout }, async () => {
  const { live } = shared
  const directory = hostile(live, "free")
  // It would wait for a package of plugins from the network.
  rmSync(join(directory, ".opencode", "tool"), { recursive: true })
  const session = await live.open(["FIRST-MARK", "two", "three"], { directory, permissionMode: "bypass" })
  await live.run("/run", session)
  await until(() => marks(directory).length === 2, "what the repository brings")
  expect(marks(directory)).toEqual(["command", "server"])
  expect(told(live, session)).not.toContain("opencode.project_config")
  for (const name of marks(directory)) rmSync(mark(directory, name))
  // Its server has them: it goes on with another.
  expect(await patchSession(session, { permissionMode: "default" })).toBe("reopen")
  await live.run("/run", session)
  expect(said(live, session)).toContain("FIRST-MARK")
  expect(marks(directory)).toEqual([])
  expect(told(live, session)).toContain("opencode.project_config")
  expect(live.wrongs()).toEqual([])
})

test.each([
  ["a plugin", ".opencode/plugins/one.js", "export default {}"],
  ["one that its configuration names", "opencode.jsonc", `{ "plugin": ["./one.js"], } // it is the project's`],
  ["configuration that cannot be read", ".opencode/opencode.json", "{"],
] as const)("a project with %s is refused outside bypass: nothing keeps OpenCode from it", async (_, path, content) => {
  const directory = join(scratch(), "project")
  put(join(directory, path), content)
  const env = { HOME: "/nowhere" }
  const version = () => Promise.resolve<string | undefined>(tested)
  const found = (bypass: boolean) => projectOf({ directory, bypass, env, version }, { reach: new Confinement() })
  await expect(found(false)).rejects.toMatchObject({ code: "permission_denied", detail: expect.stringContaining(path) })
  expect(await found(true)).toMatchObject({ free: true, env: {} })
  // What is in the home of the user is theirs, and what reads no project reads this one neither.
  const isUsers = path.startsWith(".opencode")
  const asHome = projectOf(
    { directory, bypass: false, env: { HOME: directory }, version },
    { reach: new Confinement() },
  )
  if (isUsers) expect(await asHome).toEqual(ordinary)
  else await expect(asHome).rejects.toThrow(path)
})

test("a version that reads every project is refused one that runs something, and takes others", async () => {
  const directory = join(scratch(), "project")
  put(join(directory, "AGENTS.md"), "x")
  put(join(directory, ".opencode/command/say.md"), "plain")
  put(join(directory, ".opencode/opencode.json"), "")
  put(join(directory, "opencode.json"), { model: "a/b", permission: { bash: "deny" } })
  const of = (version: string | undefined) =>
    projectOf(
      { directory, bypass: false, env: { HOME: "/nowhere" }, version: () => Promise.resolve(version) },
      { reach: new Confinement() },
    )
  expect([await of("1.0.0"), await of(undefined)]).toEqual([ordinary, ordinary])
  put(join(directory, ".opencode/command/run.md"), "!`true`")
  for (const version of ["1.0.0", undefined])
    await expect(of(version)).rejects.toMatchObject({ detail: expect.stringContaining("shell lines of .opencode") })
  expect(await of(tested)).toMatchObject({
    free: false,
    env: closed.env,
    config: { command: { say: { template: "plain" } }, model: "a/b", permission: { bash: "deny" } },
  })
})
