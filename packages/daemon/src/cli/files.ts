import { mkdir, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { FileEntry, FileStat } from "@sandbox-agent/schema/file"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { bytesToSend, saveBytes } from "./bytes.ts"
import { type Call, call, callJson } from "./client.ts"
import { flagsOf } from "./commands.ts"
import { connectionOf } from "./connection.ts"
import { bytesOf } from "./cut-off.ts"
import { isSet, lastOf, type Parsed, parseFlags } from "./parse.ts"
import { err, out } from "./print.ts"
import { report } from "./problem.ts"
import { Transfer } from "./transfer.ts"
import { UsageError } from "./usage.ts"

type Ask = <T>(request: Call) => Promise<T>

/** The arguments of one of these commands, and a way to ask the daemon. */
async function begin(command: string, argv: string[], least: number, most: number) {
  const parsed = parseFlags(argv, flagsOf("fs", command), ["fs", command])
  const { positionals } = parsed
  if (positionals.length < least || positionals.length > most)
    throw new UsageError(`it takes ${least === most ? least : `${least} or ${most}`} arguments`, ["fs", command])
  const connection = await connectionOf(parsed, process.env)
  const ask: Ask = (request) => callJson(connection, request)
  return { parsed, positionals, connection, ask }
}

function queryOf(parsed: Parsed, given: Record<string, string>): URLSearchParams {
  const sessionId = lastOf(parsed, "session-id")
  return new URLSearchParams({ ...given, ...(sessionId === undefined ? {} : { sessionId }) })
}

async function failed(error: unknown, argv: readonly string[]): Promise<number> {
  const { asTyped } = await import("./command-words.ts")
  const json = argv.includes("--json")
  return await report(json ? error : asTyped(error, flagsOf("fs", "put")), json)
}

/** A file, a folder (as an archive that `tar` makes) or stdin into the sandbox. */
export async function filesPut(argv: string[]): Promise<number> {
  try {
    const { parsed, positionals, ask } = await begin("put", argv, 2, 2)
    const [local = "", given = ""] = positionals
    const found = local === "-" ? undefined : await stat(local).catch(() => undefined)
    if (found?.isDirectory()) assertTar("put")
    const tar = found?.isDirectory()
      ? Bun.spawn(["tar", "-C", local, "-cf", "-", "."], { stdout: "pipe", stderr: "inherit" })
      : undefined
    const path = found?.isFile() && (await isFolder(ask, parsed, given)) ? join(given, basename(local)) : given
    const transfer = new Transfer(`put ${basename(local)}`, tar ? undefined : found?.size)
    const bytes = tar ? tar.stdout : await bytesToSend(local, process.stdin, { by: "", how: "" })
    const answer = await ask<Record<string, unknown>>({
      method: tar ? "POST" : "PUT",
      path: tar ? "/v1/fs/upload-batch" : "/v1/fs/file",
      query: queryOf(parsed, { path }),
      // A file that nobody watches is sent as it is, with its length.
      bytes: transfer.isShown ? transfer.pass(new Response(bytes).body ?? new ReadableStream()) : bytes,
    }).finally(() => transfer.end())
    if (tar && (await tar.exited) !== 0) throw new UsageError(`tar could not read all of ${local}`)
    if (isSet(parsed, "json")) await out(`${JSON.stringify(answer)}\n`)
    for (const { path: left, reason } of (answer.skipped ?? []) as { path: string; reason: string }[])
      await err(`left out: ${left}: ${reason}\n`)
    return 0
  } catch (error) {
    return await failed(error, argv)
  }
}

/** A file, or a folder (unpacked by `tar`), out of the sandbox; `-` is stdout. */
export async function filesGet(argv: string[]): Promise<number> {
  try {
    const { parsed, positionals, connection, ask } = await begin("get", argv, 1, 2)
    const [path = "", given] = positionals
    const found = await ask<FileStat>({ method: "GET", path: "/v1/fs/stat", query: queryOf(parsed, { path }) })
    const isFolder = found.entryType === "directory"
    if (isFolder) assertTar("get")
    const request: Call = {
      method: "GET",
      path: isFolder ? "/v1/fs/archive" : "/v1/fs/file",
      query: queryOf(parsed, { path }),
      accept: "*/*",
    }
    const answer = await call(connection, request)
    if (answer.body === null) return 0
    const local = given ?? basename(found.path)
    // What goes to stdout may be shown, or be read by a program that draws.
    if (local === "-") return await printed(bytesOf(answer.body, request))
    const transfer = new Transfer(`get ${basename(path)}`, isFolder ? undefined : found.size)
    return await received(bytesOf(transfer.pass(answer.body), request), local, found).finally(() => transfer.end())
  } catch (error) {
    return await failed(error, argv)
  }
}

function assertTar(command: string): void {
  if (Bun.which("tar") !== null) return
  throw new UsageError("a folder is copied by `tar`, which is not on PATH here", ["fs", command])
}

/** Of the sandbox; what is not there is none. */
async function isFolder(ask: Ask, parsed: Parsed, path: string): Promise<boolean> {
  try {
    const query = queryOf(parsed, { path })
    return (await ask<FileStat>({ method: "GET", path: "/v1/fs/stat", query })).entryType === "directory"
  } catch (error) {
    if (SandboxAgentError.is(error) && error.code === "not_found") return false
    throw error
  }
}

async function printed(body: AsyncIterable<Uint8Array>): Promise<number> {
  for await (const chunk of body) await out(chunk)
  return 0
}

async function received(body: AsyncIterable<Uint8Array>, local: string, found: FileStat): Promise<number> {
  if (found.entryType !== "directory") {
    const there = (await stat(local).catch(() => undefined))?.isDirectory()
    await saveBytes(body, there ? join(local, basename(found.path)) : local, "")
    return 0
  }
  await mkdir(local, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot make the folder ${local} (${error.code ?? error.message})`, ["fs", "get"])
  })
  // To `tar` an archive that stops between two files is whole.
  let broken: unknown
  const bytes = (async function* () {
    try {
      yield* body
    } catch (error) {
      broken = error
    }
  })()
  const stdin = new Response(bytes as unknown as ReadableStream).body ?? undefined
  const tar = Bun.spawn(["tar", "-C", local, "-xpf", "-"], { stdin, stdout: "inherit", stderr: "inherit" })
  const code = await tar.exited
  if (broken !== undefined) throw broken
  return code === 0 ? 0 : 1
}

/** A folder with all below it, as a picture. */
export async function filesTree(argv: string[]): Promise<number> {
  try {
    const { parsed, positionals, ask } = await begin("tree", argv, 0, 1)
    const [path] = positionals
    const depth = lastOf(parsed, "depth") ?? String(fileLimits.entriesDepth)
    const all = isSet(parsed, "all")
    const given = { depth, hidden: String(all), gitignore: String(!all), ...(path === undefined ? {} : { path }) }
    const entries = await ask<FileEntry[]>({ method: "GET", path: "/v1/fs/entries", query: queryOf(parsed, given) })
    if (isSet(parsed, "json")) await out(`${JSON.stringify(entries)}\n`)
    else await out(pictureOf(entries))
    return 0
  } catch (error) {
    return await failed(error, argv)
  }
}

function pictureOf(entries: readonly FileEntry[]): string {
  const top = Math.min(...entries.map(({ path }) => path.split("/").length))
  const lines = entries.map(({ path, name, entryType, symlink }) => {
    const end = symlink !== undefined ? ` -> ${symlink}` : entryType === "directory" ? "/" : ""
    return `${"  ".repeat(path.split("/").length - top)}${name}${end}\n`
  })
  return lines.join("")
}
