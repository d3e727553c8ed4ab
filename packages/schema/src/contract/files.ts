import { z } from "zod"
import { ChangeModeSchema, CopyFileSchema, FileModeSchema, FilePathSchema, MoveFileSchema } from "../file.ts"
import { fileLimits } from "../file-limits.ts"
import { SessionIdSchema } from "../session.ts"
import { flag, integer } from "./query.ts"
import { route } from "./route.ts"

const path = FilePathSchema
const sessionId = SessionIdSchema.optional().describe("relative paths begin in its directory")
const pathErrors = ["not_found", "session_not_found", "unavailable"] as const
const changeErrors = [...pathErrors, "conflict", "insufficient_storage"] as const
const readErrors = [...pathErrors, "precondition_failed", "range_not_satisfiable"] as const
const both = (name: string) => ({ path: `/v1/fs/${name}`, alsoAt: [`/v2/fs/${name}`] })

/** As RFC 9110 has them. */
const ifMatch = "a file with another `ETag` is `precondition_failed`; `*`: any, but one that is there"
const readHeaders = {
  "If-Match": ifMatch,
  "If-None-Match": "a file with this `ETag` is not sent again (304)",
  "If-Modified-Since": "a file that has not changed since is not sent again (304)",
  Range: "one range of bytes, such as `bytes=0-99` (206)",
  "If-Range": "`Range` counts only where the file has this `ETag`, or has not changed since",
}
const readStatuses = { 206: "The part that `Range` asks for", 304: "Not modified" }
const writeHeaders = {
  "If-Match": ifMatch,
  "If-None-Match": "`*`: only where no file is there",
}

const readQuery = { path, sessionId, download: flag.optional().describe("have browsers save it") }

export const fileRoutes = {
  listFsEntries: route({
    id: "listFsEntries",
    method: "GET",
    ...both("entries"),
    tag: "files",
    summary: "Contents of a folder",
    description:
      "Sorted by name, byte by byte; with `depth` each folder is followed by what is in it. When there is more, `x-next-cursor` has the next `cursor` and `Link` the next address. Links are listed and not followed.",
    query: {
      path: path
        .optional()
        .describe("without it the session's directory, else the first --fs-root, else where the daemon runs"),
      sessionId,
      depth: integer(1, fileLimits.entriesDepth).optional().describe("how many levels of folders; 1 without"),
      hidden: flag.optional().describe("also names that begin with a dot; true without"),
      gitignore: flag.optional().describe("leave out what .gitignore files name, and .git"),
      limit: integer(1, fileLimits.entriesPage).default(fileLimits.entriesPage).describe("entries of a page"),
      cursor: z.string().min(1).optional().describe("`x-next-cursor` of the page before"),
    },
    answer: "json",
    status: 200,
    errors: pathErrors,
    cli: ["fs", "list"],
    cliAliases: [["fs", "ls"]],
    cliArgument: "path",
  }),
  statFsEntry: route({
    id: "statFsEntry",
    method: "GET",
    ...both("stat"),
    tag: "files",
    summary: "Metadata of a file or folder",
    description: "What the system knows of it, with the entity tag that reading it answers.",
    query: { path, sessionId, follow: flag.optional().describe("what a link leads to and not the link; true without") },
    answer: "json",
    status: 200,
    errors: pathErrors,
    cli: ["fs", "stat"],
    cliArgument: "path",
  }),
  readFsFile: route({
    id: "readFsFile",
    method: "GET",
    ...both("file"),
    tag: "files",
    summary: "The bytes of a file",
    description:
      "Of any size. Takes `Range` with `If-Range`, `If-Match`, `If-None-Match` and `If-Modified-Since`; answers a strong `ETag`, `Content-Range` and, because long files are sent in chunks, their length as `x-content-length`. One that becomes shorter while it is sent breaks the connection off.",
    query: readQuery,
    headers: readHeaders,
    answer: "bytes",
    status: 200,
    otherStatuses: readStatuses,
    errors: readErrors,
    cli: ["fs", "read"],
    cliAliases: [["fs", "cat"]],
    cliArgument: "path",
  }),
  headFsFile: route({
    id: "headFsFile",
    method: "HEAD",
    ...both("file"),
    tag: "files",
    summary: "The headers of a file, without its bytes",
    description: "As reading it answers them, with `Content-Length`.",
    query: readQuery,
    headers: readHeaders,
    answer: "headers",
    status: 200,
    otherStatuses: readStatuses,
    errors: readErrors,
    cli: ["fs", "head"],
    cliArgument: "path",
  }),
  writeFsFile: route({
    id: "writeFsFile",
    method: "PUT",
    ...both("file"),
    tag: "files",
    summary: "Write a file",
    description:
      "Of any size. The file is replaced when all of it is there, in one step: whoever reads it sees the old one or the new one. `If-Match` and `If-None-Match` are asked before and again in that step. A file that is replaced keeps its mode and owner; through a link its target is written.",
    query: {
      path,
      sessionId,
      mode: FileModeSchema.optional().describe("octal digits; without it as before, or as the system makes new files"),
      parents: flag.optional().describe("make the folders that are missing; true without"),
      fsync: flag.optional().describe("answer when the disk has it"),
    },
    headers: writeHeaders,
    bodyBytes: "application/octet-stream",
    answer: "json",
    status: 200,
    errors: [...changeErrors, "precondition_failed", "payload_too_large", "unsupported_media_type", "timeout"],
    cli: ["fs", "write"],
    cliArgument: "path",
  }),
  uploadFsBatch: route({
    id: "uploadFsBatch",
    method: "POST",
    ...both("upload-batch"),
    tag: "files",
    summary: "Unpack an archive into a folder",
    description:
      "A tar archive, plain or compressed with gzip or zstd, which its first bytes tell. Unpacked as it comes, each file appears when it is whole. No entry lands outside the folder: absolute paths, paths with `..` and paths through links are left out, as devices and pipes are, and named in `skipped`.",
    query: { path: path.optional().describe("the folder, made if it is missing"), sessionId },
    bodyBytes: "application/x-tar",
    answer: "json",
    status: 200,
    errors: [...changeErrors, "payload_too_large", "timeout"],
    cli: ["fs", "upload"],
    cliArgument: "path",
  }),
  archiveFs: route({
    id: "archiveFs",
    method: "GET",
    ...both("archive"),
    tag: "files",
    summary: "A folder as an archive",
    description:
      "Made while it is sent, with modes, times, symbolic and hard links. What cannot be read, pipes, sockets and devices are left out.",
    query: {
      path: path.optional(),
      sessionId,
      format: z.enum(["tar", "tar.gz", "tar.zst"]).optional().describe("tar without"),
      hidden: flag.optional().describe("also names that begin with a dot; true without"),
      gitignore: flag.optional().describe("leave out what .gitignore files name, and .git"),
    },
    answer: "bytes",
    mediaTypes: ["application/x-tar", "application/gzip", "application/zstd"],
    status: 200,
    errors: pathErrors,
    cli: ["fs", "archive"],
    cliArgument: "path",
  }),
  watchFs: route({
    id: "watchFs",
    method: "GET",
    ...both("watch"),
    tag: "files",
    summary: "Changes in a folder, as they happen",
    description:
      "`ready` comes first: list the folder after it and apply what follows, and you have what is there. `created`, `modified`, `deleted` and `moved` (with `from`) name files and folders; of a folder that is gone all below it is, and one that is created or moved begins empty: what is in it follows. `resync` says that something was missed (the kernel lost track, the client was too slow or came back with `Last-Event-ID`): list again. Ends when the folder itself is removed or moved. Linux alone.",
    query: {
      path: path.optional(),
      sessionId,
      recursive: flag.optional().describe("also in folders below; true without"),
      gitignore: flag.optional().describe("leave out what .gitignore files name, and .git"),
    },
    answer: "sse",
    status: 200,
    errors: [...pathErrors, "not_supported"],
    cli: ["fs", "watch"],
    cliArgument: "path",
  }),
  searchFs: route({
    id: "searchFs",
    method: "GET",
    ...both("search"),
    tag: "files",
    summary: "Find files by name or by what is in them",
    description:
      "SSE: `match` (mode `text` or `regex`, a JavaScript expression, line by line) or `name` (mode `names`, all letters in order, the best first), then `done`. Hidden files, what `.gitignore` and `.ignore` files name, and binaries are passed over; links are not followed. The search ends with its client.",
    query: {
      pattern: z.string().min(1).max(fileLimits.searchPatternChars).describe("what to find"),
      path: path.optional(),
      sessionId,
      mode: z.enum(["text", "regex", "names"]).optional().describe("text without"),
      ignoreCase: flag.optional().describe("large and small letters are the same"),
      globs: z
        .string()
        .max(fileLimits.searchPatternChars)
        .optional()
        .describe("only these files, separated by commas, as in an ignore file; with `!` all but these"),
      context: integer(0, fileLimits.searchContext).optional().describe("lines around each match"),
      limit: integer(1, fileLimits.searchMatches).optional().describe("matches before it stops; 1,000 without"),
      hidden: flag.optional().describe("also names that begin with a dot"),
      gitignore: flag.optional().describe("pass over what .gitignore and .ignore files name; true without"),
    },
    answer: "sse",
    once: true,
    status: 200,
    errors: pathErrors,
    cli: ["fs", "search"],
    cliArgument: "pattern",
  }),
  makeFsDirectory: route({
    id: "makeFsDirectory",
    method: "POST",
    ...both("mkdir"),
    tag: "files",
    summary: "Make a folder",
    description: "An existing one is left as it is.",
    query: {
      path,
      sessionId,
      parents: flag.optional().describe("make the folders in front of it, too; true without"),
      mode: FileModeSchema.optional().describe("octal digits; default: as the system makes new folders"),
    },
    answer: "json",
    status: 200,
    errors: changeErrors,
    cli: ["fs", "mkdir"],
    cliArgument: "path",
  }),
  moveFsEntry: route({
    id: "moveFsEntry",
    method: "POST",
    ...both("move"),
    tag: "files",
    summary: "Move or rename a file or folder",
    description: "Folders in front of `to` are made. From one file system to another it is copied and then removed.",
    body: MoveFileSchema,
    bodyRequired: true,
    answer: "json",
    status: 200,
    errors: changeErrors,
    cli: ["fs", "move"],
    cliAliases: [["fs", "mv"]],
    cliOperands: ["from"],
    cliArgument: "to",
  }),
  copyFsEntry: route({
    id: "copyFsEntry",
    method: "POST",
    ...both("copy"),
    tag: "files",
    summary: "Copy a file or folder",
    description:
      "With modes and times; links in a folder stay links. It appears when it is whole. Pipes, sockets and devices are left out and named.",
    body: CopyFileSchema,
    bodyRequired: true,
    answer: "json",
    status: 200,
    errors: changeErrors,
    cli: ["fs", "copy"],
    cliAliases: [["fs", "cp"]],
    cliOperands: ["from"],
    cliArgument: "to",
  }),
  deleteFsEntry: route({
    id: "deleteFsEntry",
    method: "DELETE",
    ...both("entry"),
    tag: "files",
    summary: "Remove a file, a link or a folder",
    description:
      "Of a link the link itself. A folder that is not empty is refused (`conflict`), unless `recursive=true`; links in it are not followed.",
    query: {
      path,
      sessionId,
      recursive: flag.optional().describe("a folder with everything in it; without it such a folder is refused"),
    },
    answer: "json",
    status: 200,
    errors: changeErrors,
    cli: ["fs", "delete"],
    cliAliases: [["fs", "rm"]],
    cliArgument: "path",
  }),
  chmodFsEntry: route({
    id: "chmodFsEntry",
    method: "POST",
    ...both("chmod"),
    tag: "files",
    summary: "Change the mode of a file or folder",
    description: "With `recursive=true` of everything in it; links are left as they are.",
    body: ChangeModeSchema,
    bodyRequired: true,
    answer: "json",
    status: 200,
    errors: changeErrors,
    cli: ["fs", "chmod"],
    cliOperands: ["mode"],
    cliArgument: "path",
  }),
}

export type FileRouteId = keyof typeof fileRoutes
