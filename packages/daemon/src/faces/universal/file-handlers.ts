import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { toText } from "../../host/files/byte-path.ts"
import { changeMode } from "../../host/files/change-mode.ts"
import { copyEntry } from "../../host/files/copy.ts"
import { deleteEntry } from "../../host/files/delete.ts"
import { listEntries } from "../../host/files/entries.ts"
import { statOf } from "../../host/files/entry.ts"
import type { Files } from "../../host/files/files.ts"
import { makeFolder } from "../../host/files/make-folder.ts"
import { moveEntry } from "../../host/files/move.ts"
import { preconditionOf } from "../../host/files/precondition.ts"
import { openForReading } from "../../host/files/read.ts"
import { writeFile } from "../../host/files/write.ts"
import { assertUncoded } from "../http/body.ts"
import type { Services } from "../services.ts"
import { fileAnswer } from "./file-answer.ts"
import type { FileHandlers } from "./files.ts"
import { requestBytes } from "./request-bytes.ts"

const octal = (mode: string | undefined): number | undefined =>
  mode === undefined ? undefined : Number.parseInt(mode, 8)

/** The file is what comes: a part of it would replace all of it, and what is compressed would be kept so. */
function assertWhole(request: Request): void {
  if (request.headers.has("content-range"))
    throw new SandboxAgentError("invalid_request", "content-range: a file is written whole, not in parts")
  assertUncoded(request)
}

/** What clients do with files, in the words of HTTP. Loaded with the first request that names one. */
export function fileHandlers(services: Services, files: Files): FileHandlers {
  const { sessions, intervals, supervisor, stalled } = services
  const { fence } = files
  const directoryOf = (id: string | undefined) => (id === undefined ? undefined : sessions.get(id).record.directory)
  const pathOf = ({ path, sessionId }: { path: string; sessionId?: string | undefined }) =>
    files.path(path, directoryOf(sessionId))
  const read = async (query: Parameters<typeof pathOf>[0] & { download?: boolean | undefined }, request: Request) =>
    fileAnswer(await openForReading(fence, pathOf(query)), request, query.download ?? false, stalled)
  return {
    listFsEntries: async ({ query, request }) => {
      const { path, sessionId, limit, cursor, depth = 1, hidden = true, gitignore = false } = query
      const at = path ? files.path(path, directoryOf(sessionId)) : files.home(directoryOf(sessionId))
      const { entries, nextCursor } = await listEntries(fence, at, { depth, hidden, gitignore, limit, cursor })
      return Response.json(entries, nextCursor === undefined ? {} : { headers: nextPage(request.url, nextCursor) })
    },
    statFsEntry: ({ query }) => statOf(fence, pathOf(query), query.follow ?? true),
    readFsFile: ({ query, request }) => read(query, request),
    headFsFile: ({ query, request }) => read(query, request),
    writeFsFile: async ({ query, request }) => {
      assertWhole(request)
      const path = pathOf(query)
      const ifNoneMatch = request.headers.get("if-none-match")
      const written = await writeFile(files, path, requestBytes(request, intervals.transferStallMs), {
        mode: octal(query.mode),
        parents: query.parents ?? true,
        fsync: query.fsync ?? false,
        precondition: preconditionOf(request.headers.get("if-match"), ifNoneMatch),
        exclusive: ifNoneMatch?.trim() === "*",
      })
      const { bytes: bytesWritten, created, etag } = written
      return Response.json({ path: toText(path), bytesWritten, created, etag }, { headers: { etag } })
    },
    uploadFsBatch: async ({ query, request }) => {
      const path = query.path ? pathOf({ ...query, path: query.path }) : files.home(directoryOf(query.sessionId))
      const { unpack } = await import("../../host/files/unpack.ts")
      const { skipped, ...done } = await unpack(files, path, requestBytes(request, intervals.transferStallMs))
      return { ...done, skipped: skipped.named, skippedCount: skipped.count }
    },
    archiveFs: async ({ query, request }) => {
      const path = query.path ? pathOf({ ...query, path: query.path }) : files.home(directoryOf(query.sessionId))
      const { archiveAnswer } = await import("./archive-answer.ts")
      return archiveAnswer(fence, path, query, request, stalled)
    },
    watchFs: async ({ query, request }) => {
      const path = query.path ? pathOf({ ...query, path: query.path }) : files.home(directoryOf(query.sessionId))
      const { watchAnswer } = await import("./watch-answer.ts")
      return watchAnswer(fence, path, query, request, stalled)
    },
    searchFs: async ({ query, request }) => {
      const path = query.path ? pathOf({ ...query, path: query.path }) : files.home(directoryOf(query.sessionId))
      const { FOLDER, openPath } = await import("../../host/files/opened.ts")
      await using root = await openPath(fence, path, FOLDER)
      const { searchAnswer } = await import("./search-answer.ts")
      const search = {
        root: root.path,
        never: fence.never,
        pattern: query.pattern,
        mode: query.mode ?? "text",
        ignoreCase: query.ignoreCase ?? false,
        globs: query.globs?.split(",").filter((glob) => glob !== "") ?? [],
        hidden: query.hidden ?? false,
        gitignore: query.gitignore ?? true,
        context: query.context ?? 0,
        limit: query.limit ?? fileLimits.searchMatchesDefault,
      } as const
      return searchAnswer(search, services.self, supervisor, request, stalled)
    },
    makeFsDirectory: async ({ query }) => {
      const path = pathOf(query)
      await makeFolder(files, path, query.parents ?? true, octal(query.mode))
      return { path: toText(path) }
    },
    moveFsEntry: async ({ body }) => {
      const { from, to } = ends(body)
      await moveEntry(files, from, to, body.overwrite ?? false)
      return { from: toText(from), to: toText(to) }
    },
    copyFsEntry: async ({ body }) => {
      const { from, to } = ends(body)
      const { overwrite, recursive = false } = body
      const copied = await copyEntry(files, from, to, { overwrite: overwrite ?? false, recursive })
      return { from: toText(from), to: toText(to), ...copied, skipped: copied.skipped.named }
    },
    deleteFsEntry: async ({ query }) => {
      const path = pathOf(query)
      await deleteEntry(files, path, query.recursive ?? false)
      return { path: toText(path) }
    },
    chmodFsEntry: async ({ body }) => {
      const path = pathOf(body)
      await changeMode(fence, path, octal(body.mode) ?? 0, body.recursive ?? false)
      return { path: toText(path) }
    },
  }

  function ends({ from, to, sessionId }: { from: string; to: string; sessionId?: string | undefined }) {
    const directory = directoryOf(sessionId)
    return { from: files.path(from, directory), to: files.path(to, directory) }
  }
}

/** Where the next page is: as a header of ours, and as RFC 8288 has it. */
function nextPage(url: string, cursor: string): Record<string, string> {
  const at = url.indexOf("?")
  const query = new URLSearchParams(at < 0 ? "" : url.slice(at + 1))
  query.set("cursor", cursor)
  return { "x-next-cursor": cursor, link: `<?${query}>; rel="next"` }
}
