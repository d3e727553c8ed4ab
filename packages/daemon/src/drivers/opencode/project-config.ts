import { dirname, isAbsolute, join } from "node:path"
import { byteLength } from "@sandbox-agent/schema/byte-length"
import { opencodeLimits } from "@sandbox-agent/schema/driver-limits"
import { isThere } from "../shared/is-there.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import { writtenSettings } from "../shared/written-settings.ts"
import { merged } from "./merged.ts"
import { fillsIn, harmless, nameOf, type ProjectFile, type ProjectFiles } from "./project-files.ts"

/** What of a project does no harm, as configuration that a server is started with; it goes in a variable, which has an end. */
export async function carriedConfig(
  directory: string,
  home: string,
  files: ProjectFiles,
): Promise<{ config: Json; tooLong: boolean }> {
  const told = { instructions: await memory(directory), ...skillsOf(files, await homeSkills(home)) }
  const configs = files.configs.map(harmlessOf).reduce(merged, {})
  const agent = Object.assign({}, ...files.agents.map(agentOf), ...files.modes.map(modeOf))
  const command = Object.assign({}, ...files.commands.map(commandOf))
  const whole = merged(configs, { agent, command })
  const instructions = [...told.instructions, ...list(configs.instructions)]
  const config = { ...whole, ...told, instructions }
  const tooLong = byteLength(JSON.stringify(config)) > opencodeLimits.projectConfigBytes
  return { config: tooLong ? told : config, tooLong }
}

/** As OpenCode finds it: the first of these names that is anywhere up to the top of the repository, wherever it is. */
async function memory(directory: string): Promise<string[]> {
  const folders = await repository(directory)
  for (const name of ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"]) {
    const paths = folders.map((folder) => join(folder, name))
    const there = await Promise.all(paths.map(isThere))
    const found = paths.filter((_, index) => there[index])
    if (found.length > 0) return found
  }
  return []
}

async function repository(directory: string): Promise<string[]> {
  const above = dirname(directory)
  if (above === directory || (await isThere(join(directory, ".git")))) return [directory]
  return [directory, ...(await repository(above))]
}

/** Skills of the user in folders of other agents: the switch that leaves out those of the project leaves them out too. */
async function homeSkills(home: string): Promise<readonly string[]> {
  if (home === "") return []
  // Whatever they run is the user's.
  const folders = [join(home, ".claude", "skills"), join(home, ".agents", "skills")]
  const there = await Promise.all(folders.map(isThere))
  return folders.filter((_, index) => there[index])
}

function skillsOf({ skills }: ProjectFiles, users: readonly string[]): { skills?: { paths: string[] } } {
  const paths = [...users, ...skills.map(({ path }) => dirname(path))]
  return paths.length === 0 ? {} : { skills: { paths } }
}

function harmlessOf({ path, text: content }: ProjectFile): Json {
  const config = fillsIn(content) ? {} : (writtenSettings(content) ?? {})
  const kept = Object.fromEntries(Object.entries(config).filter(([key]) => harmless.includes(key)))
  const commands = Object.entries(record(config.command)).filter(
    ([, one]) => !(text(record(one).template) ?? "!`").includes("!`"),
  )
  const local = list(config.instructions).flatMap((one) => {
    const name = text(one)
    if (name === undefined || name.includes("://")) return []
    return [isAbsolute(name) || name.startsWith("~/") ? name : join(dirname(path), name)]
  })
  return { ...kept, command: Object.fromEntries(commands), instructions: local }
}

function agentOf(file: ProjectFile): Json {
  const { fields, body } = frontMatter(file)
  return body === undefined ? {} : { [nameOf(file.path, /^agents?$/)]: { ...fields, prompt: body } }
}

function modeOf(file: ProjectFile): Json {
  const { fields, body } = frontMatter(file)
  return body === undefined ? {} : { [nameOf(file.path, /^modes?$/)]: { ...fields, prompt: body, mode: "primary" } }
}

function commandOf(file: ProjectFile): Json {
  const { fields, body } = frontMatter(file)
  return body === undefined ? {} : { [nameOf(file.path, /^commands?$/)]: { ...fields, template: body } }
}

/** Without a body: it cannot be read, or would be filled in where it stands in a configuration. */
function frontMatter({ text: content }: ProjectFile): { fields: Json; body?: string } {
  if (fillsIn(content)) return { fields: {} }
  const [whole = "", head = ""] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(content) ?? []
  try {
    const { name: _, ...fields } = record(Bun.YAML.parse(head))
    return { fields, body: content.slice(whole.length).trim() }
  } catch {
    return { fields: {} }
  }
}
