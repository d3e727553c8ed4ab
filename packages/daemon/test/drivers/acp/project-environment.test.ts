import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { AcpTraits } from "@sandbox-agent/schema/registry"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { expect, test } from "vitest"
import type { Session } from "../../../src/core/session.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import { sdkAgent } from "./added.ts"

/** An agent that is kept from repositories as another is; it tells what it is started with. */
class Wary extends DriverStage {
  last: Session | undefined

  constructor(distrusts: NonNullable<AcpTraits["distrusts"]>, tells: string) {
    const traits: AcpTraits = { sessions: distrusts === "gemini" ? "one" : "many", distrusts }
    const agent = { id: "wary", name: "Wary", args: [], env: { GEMINI_CLI_TRUST_WORKSPACE: "true" }, traits }
    const script = `${tells} >> "$TOLD"; exec "$0" --no-env-file ${sdkAgent}`
    const command = ["sh", "-c", script, process.execPath]
    const programs = alwaysThere({ installed: true, credentials: "available", command })
    super(createAcpDriver({ agent, programs, lingerMs: 0 }), (daemonId) =>
      createSupervisor({ daemonId, log: () => {} }),
    )
  }

  put(path: string, content: unknown): void {
    const file = join(this.workspace, path)
    mkdirSync(join(file, ".."), { recursive: true })
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  }

  /** What is told of the repository `name`, when a session is made there. */
  async told(name: string, { env, ...more }: Partial<CreateSession> = {}): Promise<string[]> {
    const directory = join(this.workspace, name)
    mkdirSync(directory, { recursive: true })
    const given = { HOME: join(this.workspace, "home"), TOLD: this.#file, ...env }
    this.last = await this.create(`${name}-${crypto.randomUUID()}`, { agent: "wary", directory, env: given, ...more })
    return this.news()
  }

  /** Since it was asked last. */
  news(): string[] {
    const lines = existsSync(this.#file) ? readFileSync(this.#file, "utf8").trim().split("\n") : []
    rmSync(this.#file, { force: true })
    return lines
  }

  details(s = this.last ?? this.session): string[] {
    return this.items(s).flatMap(({ content }) =>
      content.flatMap((part) =>
        part.type === "status" && part.label === "wary.project_settings" ? [String(part.detail)] : [],
      ),
    )
  }

  get #file(): string {
    return join(this.directory, "told")
  }
}

const left = (what: string) =>
  expect.stringMatching(new RegExp(`^outside of permission mode bypass .*left out: ${what}`))

test("as Gemini CLI: a folder is trusted unless its repository brings what runs or allows something", async () => {
  await using stage = new Wary("gemini", 'echo "$GEMINI_CLI_TRUST_WORKSPACE"')
  const hooks = { hooks: { BeforeTool: [] } }
  const repositories: [name: string, file: string, content: unknown, trusted: boolean, what?: string][] = [
    ["none", "GEMINI.md", "x", true],
    ["harmless", ".gemini/settings.json", { ui: { theme: "x" }, context: { fileName: "AGENTS.md" } }, true],
    ["hooks", ".gemini/settings.json", hooks, false, "hooks.BeforeTool of .gemini/settings.json"],
    ["later", ".gemini/settings.json", { tools: { exclude: [] }, ofLater: 1 }, false, "ofLater of"],
    ["broken", ".gemini/settings.json", "{", false, "what cannot be read of"],
    ["keys", ".env", "GEMINI_API_KEY=x\nDATABASE_URL=y", true],
    ["variables", ".env", "A=1\nexport NODE_OPTIONS=y", false, "NODE_OPTIONS of .env"],
    ["own", ".gemini/.env", "GOOGLE_GEMINI_BASE_URL: y", false, "GOOGLE_GEMINI_BASE_URL of .gemini/.env"],
    ["policies", ".gemini/policies/a.toml", "", false, ".gemini/policies"],
    ["home", ".gemini/settings.json", hooks, true],
  ]
  for (const [name, file, content, trusted, what] of repositories) {
    stage.put(join(name, file), content)
    expect([name, ...(await stage.told(name))]).toEqual([name, String(trusted)])
    expect(stage.details()).toEqual(what === undefined ? [] : [left(what)])
  }
  mkdirSync(join(stage.workspace, "hooks", "sub"))
  mkdirSync(join(stage.workspace, "variables", ".git"))
  expect(await stage.told("hooks/sub")).toEqual(["true"])
  expect(await stage.told("variables/sub")).toEqual(["false"])
  // Whoever makes the session may trust the repository.
  expect(await stage.told("hooks", { env: { GEMINI_CLI_TRUST_WORKSPACE: "true" } })).toEqual(["true"])
})

test("as Gemini CLI: what a repository brings is in force under bypass, until that is left", async () => {
  await using stage = new Wary("gemini", 'echo "$GEMINI_CLI_TRUST_WORKSPACE"')
  stage.put("hooks/.gemini/settings.json", { hooks: { BeforeTool: [] } })
  expect(await stage.told("hooks", { permissionMode: "bypass" })).toEqual(["true"])
  expect(stage.details()).toEqual([])
  expect(await patchSession(stage.session, { permissionMode: "default" })).toBe("reopen")
  await stage.run("hello")
  expect(stage.news()).toEqual(["false"])
  expect(await patchSession(stage.session, { permissionMode: "bypass" })).toBe("now")
  expect(stage.wrongs()).toEqual([])
})

test("as Qwen Code: no folder is trusted but that of the process, and the administrator's settings stay", async () => {
  const names = ["SYSTEM_SETTINGS_PATH", "TRUSTED_FOLDERS_PATH"].map((name) => `"$QWEN_CODE_${name}"`)
  await using stage = new Wary(
    "qwen-code",
    `cat ${names.join(" - ")} </dev/null; echo; pwd; echo "$QWEN_CODE_SYSTEM_DEFAULTS_PATH"`.replace(
      /.*/s,
      (words) => `{ ${words}; }`,
    ),
  )
  stage.put("machine/settings.json", {
    tools: { exclude: ["x"], approvalMode: "yolo" },
    security: { auth: { enforcedType: "y" } },
  })
  stage.put("plain/.env", "A=1")
  stage.put("plain/.qwen/settings.json", { $version: 4, ui: {} })
  const env = { QWEN_CODE_SYSTEM_SETTINGS_PATH: join(stage.workspace, "machine/settings.json") }
  const [written, process, defaults] = await stage.told("plain", { env })
  const [settings, trusted] = (written ?? "")
    .replace("}{", "}\n{")
    .split("\n")
    .map((text) => JSON.parse(text))
  expect(settings).toEqual({
    tools: { exclude: ["x"], approvalMode: "default" },
    security: { auth: { enforcedType: "y" }, folderTrust: { enabled: true } },
  })
  expect(trusted).toEqual({ [String(process)]: "TRUST_FOLDER" })
  expect(defaults).toBe(join(stage.workspace, "machine/system-defaults.json"))
  expect(stage.details()).toEqual([left("ui of .qwen/settings.json; A of .env")])
  // The process is for all directories, but not for one whose repository is in force.
  expect(await stage.told("other", { env })).toEqual([])
  expect(await stage.told("other", { env, permissionMode: "bypass" })).toEqual([])
  expect(await stage.told("plain", { env, permissionMode: "bypass" })).not.toEqual([])
})
