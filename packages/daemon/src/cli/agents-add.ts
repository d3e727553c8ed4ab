import { existsSync, readFileSync, statSync } from "node:fs"
import { basename, isAbsolute, resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type RegistryEntry, traitsKey, traitsOf } from "@sandbox-agent/schema/registry"
import { nativeAgent } from "../drivers/table.ts"
import { addEntry, addedFile, parseEntry, readRegistryFile, removeEntry } from "../registry/registry-file.ts"
import { openError } from "../store/open-error.ts"
import { homePath } from "./cell-words.ts"
import { flagsOf } from "./commands.ts"
import { dataDirOf } from "./daemon.ts"
import { allOf, isSet, lastOf, type Parsed, parseFlags, withDashes } from "./parse.ts"
import { line, note } from "./print.ts"
import { UsageError } from "./usage.ts"

const add = ["agents", "add"]
const remove = ["agents", "remove"]

/** Adds an ACP agent to a data directory; a daemon that runs on it takes it up by itself. */
export async function agentsAdd(argv: string[]): Promise<number> {
  const parsed = addFlags(argv)
  const entries = entriesOf(parsed, wordsBehindDashes(argv))
  const dataDir = dataDirOf(parsed)
  const path = addedFile(dataDir)
  const replaced: string[] = []
  for (const entry of entries) {
    if (nativeAgent(entry.id) !== undefined)
      throw new SandboxAgentError("conflict", `${entry.id} is one of our own agents; give another --id`, {
        agent: entry.id,
      })
    if (changed(dataDir, () => addEntry(path, entry)).replaced) replaced.push(entry.id)
  }
  if (isSet(parsed, "json")) await line(JSON.stringify({ agents: entries, file: path }))
  else for (const entry of entries) await line(`added ${entry.id} (${sourceOf(entry)}) to ${homePath(path)}`)
  for (const id of replaced) await note(`${id} was there already and has been replaced`)
  for (const { distribution } of entries) {
    await tellOf(distribution.command?.cmd)
    for (const word of distribution.command?.args ?? []) await tellOfFile(word)
  }
  return 0
}

/** Where its program comes from, in a few words. */
function sourceOf({ distribution: { command, npx, uvx, binary } }: RegistryEntry): string {
  if (command !== undefined) return [command.cmd, ...(command.args ?? [])].join(" ")
  return npx?.package ?? uvx?.package ?? `a program for ${Object.keys(binary ?? {}).join(", ")}`
}

function wordsBehindDashes(argv: readonly string[]): number {
  const dashes = argv.indexOf("--")
  return dashes === -1 ? 0 : argv.length - dashes - 1
}

function addFlags(argv: string[]): Parsed {
  try {
    return parseFlags(argv, flagsOf(...add), add)
  } catch (error) {
    throw withDashes(error, argv, flagsOf(...add), add)
  }
}

function changed<T>(dataDir: string, change: () => T): T {
  try {
    return change()
  } catch (error) {
    throw openError(error, dataDir)
  }
}

/** A name may come later, and the daemon may have another PATH: no error if it is not here, but hardly what was meant. */
async function tellOf(cmd: string | undefined): Promise<void> {
  if (cmd === undefined || cmd.includes("/")) return
  const found = Bun.which(cmd)
  if (found !== null) await note(`${cmd} is ${found} here; the daemon looks for it on its own PATH`)
  else await note(`warning: ${cmd} is not on the PATH here; sessions fail until the daemon finds it on its own`)
}

/** Sessions begin in folders of their own: what is meant as a file and is not here will not be there. */
async function tellOfFile(word: string): Promise<void> {
  const isFile = /^\.{0,2}\/|\.(?:[cm]?[jt]s|py|sh|rb)$/.test(word)
  if (isFile && !existsSync(word)) await note(`warning: there is no file ${word}; sessions fail until there is`)
}

export async function agentsRemove(argv: string[]): Promise<number> {
  const parsed = parseFlags(argv, flagsOf(...remove), remove)
  const [id, extra] = parsed.positionals
  if (id === undefined || extra !== undefined) throw new UsageError("give one agent", remove)
  const dataDir = dataDirOf(parsed)
  const path = addedFile(dataDir)
  if (changed(dataDir, () => removeEntry(path, id))) {
    await line(`removed ${id}`)
    return 0
  }
  const known = readRegistryFile(path).map((entry) => entry.id)
  throw new SandboxAgentError("not_found", `${id} was not added; these were: ${known.join(", ") || "none"}`, {
    agent: id,
  })
}

function entriesOf(parsed: Parsed, behindDashes: number): RegistryEntry[] {
  const { positionals } = parsed
  // `agents add my-agent -- node agent.mjs`, as others take it: in front of a whole command stands its name.
  const [name = "", command = "-"] = positionals.length === behindDashes + 1 ? positionals : []
  const isNamed = !name.includes("/") && !command.startsWith("-")
  const [first, ...rest] = isNamed ? positionals.slice(1) : positionals
  if (first === undefined) throw new UsageError("give an entry of the registry, a file with one, or a command", add)
  const given = { id: lastOf(parsed, "id") ?? (isNamed ? name : undefined), name: lastOf(parsed, "name") }
  if (isNamed && given.id !== name) throw new UsageError(`its id is given twice: ${name} and --id ${given.id}`, add)
  const named = (entry: RegistryEntry): RegistryEntry =>
    withTraits(parsed, {
      ...withoutRelative(entry),
      ...(given.id !== undefined && { id: given.id }),
      ...(given.name !== undefined && { name: given.name }),
    })
  if (first.trimStart().startsWith("{") && rest.length === 0) return [named(parseEntry(first, "the entry"))]
  if (first.endsWith(".json") && rest.length === 0) return fromFile(first, given.id).map(named)
  const cmd = first.includes("/") ? programAt(resolve(first)) : first
  const id =
    given.id ??
    basename(first)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
  const entry = { id, name: given.name ?? id, distribution: { command: { cmd, args: rest.map(fileHere) } } }
  return [withTraits(parsed, parseEntry(JSON.stringify(entry), "the command"))]
}

function programAt(path: string): string {
  if (!existsSync(path) || !statSync(path).isFile())
    throw new SandboxAgentError("invalid_request", `${path} is no program`)
  if (Bun.which(path) === null)
    throw new SandboxAgentError(
      "invalid_request",
      `${path} may not be run; \`chmod +x\` it, or name its interpreter first`,
    )
  return path
}

/** Sessions run elsewhere: a script that is named from here, as in `node agent.mjs`, is kept by its whole path. */
const fileHere = (word: string): string =>
  !word.startsWith("-") && existsSync(word) && statSync(word).isFile() ? resolve(word) : word

/** In an entry a relative path is relative to nothing that the daemon knows. */
function withoutRelative(entry: RegistryEntry): RegistryEntry {
  const cmd = entry.distribution.command?.cmd ?? ""
  if (!cmd.includes("/") || isAbsolute(cmd)) return entry
  throw new SandboxAgentError(
    "invalid_request",
    `${entry.id}: the command ${cmd} is a relative path; give the whole one`,
  )
}

/** What the flags say of its environment and processes, beside what the entry says itself. */
function withTraits(parsed: Parsed, entry: RegistryEntry): RegistryEntry {
  const [logins, names, sessions] = [allOf(parsed, "login"), allOf(parsed, "variable"), lastOf(parsed, "sessions")]
  if (logins.length + names.length === 0 && sessions === undefined) return entry
  const { login = [], variables = [], ...traits } = traitsOf(entry)
  const said = {
    ...traits,
    ...(login.length + logins.length > 0 && { login: [...login, ...logins.map((env) => ({ env }))] }),
    ...(sessions !== undefined && { sessions }),
    ...(variables.length + names.length > 0 && { variables: [...variables, ...names] }),
  }
  return parseEntry(
    JSON.stringify({ ...entry, _meta: { ...entry._meta, [traitsKey]: said } }),
    "--login, --variable or --sessions",
  )
}

/** A file holds one entry, or is a registry of many; of those `--id` names the one that is meant. */
function fromFile(path: string, id: string | undefined): RegistryEntry[] {
  if (!existsSync(path)) throw new SandboxAgentError("invalid_request", `${path} does not exist`)
  const text = readFileSync(path, "utf8")
  if (!/"agents"\s*:\s*\[/.test(text)) return [parseEntry(text, path)]
  const entries = readRegistryFile(path)
  const meant = id === undefined ? entries : entries.filter((entry) => entry.id === id)
  if (meant.length > 0) return meant
  throw new SandboxAgentError("not_found", `${path} has no agent ${id ?? ""}`)
}
