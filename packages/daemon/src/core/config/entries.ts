import { configLimits } from "@sandbox-agent/schema/config-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { realPath } from "../../files/confinement.ts"
import type { ConfigKind } from "../../store/config-rows.ts"
import type { Context } from "../context.ts"
import { assertDirectory } from "../directory.ts"

const words: Record<ConfigKind, string> = { mcp: "MCP server", skills: "entry of skills" }

/** Where entries of a directory are kept: under what it really is. One that is gone can still be asked about. */
async function keyOf(context: Context, directory: string): Promise<string> {
  if (!directory.startsWith("/"))
    throw new SandboxAgentError("invalid_request", `directory: ${directory} is not absolute`)
  const real = await realPath(directory)
  context.files.assert(real, directory)
  return real
}

export async function readEntry<T>(context: Context, kind: ConfigKind, directory: string, name: string): Promise<T> {
  const doc = context.config.get(kind, await keyOf(context, directory), name)
  if (doc === undefined) throw unknown(kind, directory, name)
  return parsed(kind, name, doc)
}

export async function readEntries<T>(
  context: Context,
  kind: ConfigKind,
  directory: string,
): Promise<{ name: string; config: T }[]> {
  const rows = context.config.list(kind, await keyOf(context, directory))
  return rows.map(({ name, doc }) => ({ name, config: parsed<T>(kind, name, doc) }))
}

/** `made`: of what is stored so far, what takes its place. On disk when it is over. */
export async function writeEntry<T>(
  context: Context,
  kind: ConfigKind,
  directory: string,
  name: string,
  made: (before: T | undefined) => T,
): Promise<void> {
  await assertDirectory("directory", directory, context)
  const key = await keyOf(context, directory)
  const { config, store } = context
  assertWritable(context)
  const before = config.get(kind, key, name)
  const doc = JSON.stringify(made(before === undefined ? undefined : parsed<T>(kind, name, before)))
  if (Buffer.byteLength(doc) > configLimits.entryBytes)
    throw new SandboxAgentError("payload_too_large", `${name}: larger than ${configLimits.entryBytes} bytes`, {
      limit: configLimits.entryBytes,
    })
  if (before === undefined) assertRoom(context, kind, key)
  store.write(() => config.put(kind, key, name, doc))
  await store.committed()
  if (before !== undefined) store.scrub()
}

export async function deleteEntry(context: Context, kind: ConfigKind, directory: string, name: string): Promise<void> {
  const key = await keyOf(context, directory)
  const { config, store } = context
  assertWritable(context)
  if (config.get(kind, key, name) === undefined) throw unknown(kind, directory, name)
  store.write(() => config.delete(kind, key, name))
  await store.committed()
  store.scrub()
}

function assertWritable({ store }: Context): void {
  store.flush() // what others write now counts
  if (store.failing) throw new SandboxAgentError("unavailable", "the store cannot be written (disk full?)")
}

function assertRoom({ config }: Context, kind: ConfigKind, directory: string): void {
  const { directoryEntries, entries } = configLimits
  const full = (limit: number, where: string) =>
    new SandboxAgentError("conflict", `${where} has ${limit} entries, which is the most`, { limit })
  if (config.list(kind, directory).length >= directoryEntries) throw full(directoryEntries, directory)
  if (config.count() >= entries) throw full(entries, "the config of all directories")
}

export function parsed<T>(kind: ConfigKind, name: string, doc: string): T {
  try {
    return JSON.parse(doc) as T
  } catch {
    throw new SandboxAgentError("unavailable", `the ${words[kind]} ${name} in the store is damaged`, {
      hint: "Put it again, or delete it.",
    })
  }
}

const unknown = (kind: ConfigKind, directory: string, name: string): SandboxAgentError =>
  new SandboxAgentError("not_found", `${directory} has no ${words[kind]} ${name}`, {
    hint: `List them with GET /v1/config/${kind}?directory=…`,
  })
