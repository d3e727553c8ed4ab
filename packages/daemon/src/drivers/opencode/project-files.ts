import { readdir } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import { opencodeLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Confinement } from "../../files/confinement.ts"
import { readRegular } from "../../files/regular-file.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import { writtenSettings } from "../shared/written-settings.ts"

/** A file of the project that OpenCode reads. */
export interface ProjectFile {
  path: string
  text: string
}

/** What OpenCode would read of a project; of what is in several folders the nearest comes last. */
export interface ProjectFiles {
  /** What runs by itself, in words. */
  powers: string[]
  /** What OpenCode runs whatever it is told: its newer half reads plugins and references of every project. */
  unstoppable: string[]
  agents: ProjectFile[]
  modes: ProjectFile[]
  commands: ProjectFile[]
  skills: ProjectFile[]
  configs: ProjectFile[]
}

const configNames = ["opencode.json", "opencode.jsonc"]

/**
 * The directory and all above it: which of them are of the project only git can tell, and too many do no harm. What is in
 * the home of the user is theirs.
 */
export async function projectFiles(directory: string, home: string, reach: Confinement): Promise<ProjectFiles> {
  const found: ProjectFiles = {
    powers: [],
    unstoppable: [],
    agents: [],
    modes: [],
    commands: [],
    skills: [],
    configs: [],
  }
  const look = new Look(directory, reach, found)
  for (const folder of downTo(directory)) {
    for (const name of configNames) await look.config(join(folder, name))
    if (folder === home) continue
    await look.own(join(folder, ".opencode"))
    for (const other of [".claude", ".agents"]) await look.skills(join(folder, other, "skills"))
  }
  return found
}

function downTo(directory: string): string[] {
  const above = dirname(directory)
  return above === directory ? [directory] : [...downTo(above), directory]
}

class Look {
  #left: number = opencodeLimits.projectFiles

  constructor(
    private readonly directory: string,
    private readonly reach: Confinement,
    private readonly found: ProjectFiles,
  ) {}

  async own(folder: string): Promise<void> {
    for (const { name } of await this.#entries(folder)) {
      const path = join(folder, name)
      if (configNames.includes(name)) await this.config(path)
      else if (/^plugins?$/.test(name)) await this.#programs(path, this.found.unstoppable)
      else if (/^tools?$/.test(name)) await this.#programs(path, this.found.powers)
      else if (/^commands?$/.test(name)) await this.#markdown(path, "commands")
      else if (/^agents?$/.test(name)) await this.#markdown(path, "agents")
      else if (/^modes?$/.test(name)) await this.#markdown(path, "modes")
      else if (/^skills?$/.test(name)) await this.skills(path)
    }
  }

  skills = (folder: string): Promise<void> => this.#markdown(folder, "skills")

  async config(path: string): Promise<void> {
    const content = await this.#read(path)
    if (content === undefined) return
    const powers = powersOf(content)
    const isStoppable = (power: string) => !/^(plugins?|references?|what cannot be read)$/.test(power)
    this.#power(path, powers.filter(isStoppable), this.found.powers)
    this.#power(
      path,
      powers.filter((power) => !isStoppable(power)),
      this.found.unstoppable,
    )
    this.found.configs.push({ path, text: content })
  }

  async #markdown(folder: string, kind: "agents" | "modes" | "commands" | "skills"): Promise<void> {
    for (const entry of await this.#entries(folder)) {
      const path = join(folder, entry.name)
      if (!entry.name.endsWith(".md")) {
        if (!entry.isFile() && kind !== "modes") await this.#markdown(path, kind)
        continue
      }
      if (kind === "skills" && entry.name !== "SKILL.md") continue
      const content = await this.#read(path)
      if (content === undefined) continue
      // A skill is a command as well.
      if (content === UNREADABLE || ((kind === "commands" || kind === "skills") && hasShell(content)))
        this.#power(path, [content === UNREADABLE ? "what cannot be read" : "shell lines"], this.found.powers)
      else this.found[kind].push({ path, text: content })
    }
  }

  async #programs(folder: string, to: string[]): Promise<void> {
    for (const { name } of await this.#entries(folder))
      if (/\.[jt]s$/.test(name)) to.push(relative(this.directory, join(folder, name)))
  }

  async #entries(folder: string) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    this.#left -= entries.length
    if (this.#left >= 0) return entries
    const more = "what is in more files than are looked at"
    if (!this.found.unstoppable.includes(more)) this.found.unstoppable.push(more)
    return []
  }

  #power(path: string, what: readonly string[], to: string[]): void {
    if (what.length > 0) to.push(`${what.join(", ")} of ${relative(this.directory, path)}`)
  }

  /** `undefined`: there is none. One that we cannot read may be one that the program can. */
  async #read(path: string): Promise<string | undefined> {
    try {
      return (await readRegular(path, limits.settingsFileBytes, this.reach)).toString("utf8")
    } catch (error) {
      if (!SandboxAgentError.is(error)) throw error
      return error.code === "not_found" ? undefined : UNREADABLE
    }
  }
}

/** No configuration, and no file that does anything. */
const UNREADABLE = "\0"

/** OpenCode runs what stands between the marks before the message is sent. */
const hasShell = (template: string): boolean => template.includes("!`")

/** Words of a configuration that run nothing, reach nobody and are asked for where they allow. */
export const harmless: readonly string[] = [
  ...["$schema", "model", "small_model", "default_agent", "theme", "keybinds", "tui", "username", "autoupdate"],
  ...["compaction", "snapshot", "watcher", "layout", "logLevel", "disabled_providers", "enabled_providers"],
  ...["tools", "permission", "agent", "mode", "command", "instructions"],
]

/** Values that OpenCode puts in by itself: a variable may hold a secret, and so may a file. */
export const fillsIn = (content: string): boolean => /\{(env|file):/.test(content)

function powersOf(content: string): string[] {
  const config = writtenSettings(content)
  if (content.trim() === "") return []
  if (config === undefined || content === UNREADABLE) return ["what cannot be read"]
  const remote = list(config.instructions).some((one) => (text(one) ?? "").includes("://"))
  return [
    ...Object.keys(config).filter((key) => !harmless.includes(key)),
    ...(remote ? ["instructions from elsewhere"] : []),
    ...shellsOf(config),
    ...(fillsIn(content) ? ["variables and files"] : []),
  ]
}

const shellsOf = ({ command }: Json): string[] =>
  Object.entries(record(command)).flatMap(([name, one]) =>
    hasShell(text(record(one).template) ?? "") ? [`shell lines of command ${name}`] : [],
  )

/** What a file is called by OpenCode: its path below the folder of its kind. */
export function nameOf(path: string, kind: RegExp): string {
  const parts = path.split("/")
  const at = parts.findLastIndex((part, index) => kind.test(part) && parts[index - 1] === ".opencode")
  return [...parts.slice(at + 1, -1), basename(path, ".md")].join("/")
}
