import { z } from "zod"
import type {
  CopiedFilesSchema,
  FileChangeSchema,
  FileEntrySchema,
  FileStatSchema,
  MovedFileSchema,
  NamedFileSchema,
  SearchEventSchema,
  SearchMatchSchema,
  WrittenFileSchema,
} from "./file-view.ts"
import { SessionIdSchema } from "./session.ts"

/** A path as clients write it; an address where a name is no text. */
export const FilePathSchema = z
  .string()
  .min(1)
  .describe("absolute, or relative to the directory of `sessionId`; or the `uri` of an entry")

/** Octal digits, as `chmod` takes them. */
export const FileModeSchema = z.string().regex(/^[0-7]{3,4}$/, "must be three or four octal digits, such as 0644")

const sessionId = SessionIdSchema.optional().describe("relative paths begin in its directory")

export const MoveFileSchema = z.strictObject({
  from: FilePathSchema,
  to: FilePathSchema,
  overwrite: z.boolean().nullish().describe("replace what is there; without it that is refused"),
  sessionId,
})

export const CopyFileSchema = z.strictObject({
  from: FilePathSchema,
  to: FilePathSchema,
  overwrite: z.boolean().nullish().describe("replace a file that is there; without it that is refused"),
  recursive: z.boolean().optional().describe("needed for a folder"),
  sessionId,
})

export const ChangeModeSchema = z.strictObject({
  path: FilePathSchema,
  mode: FileModeSchema.describe("octal digits, such as 0755"),
  recursive: z.boolean().optional().describe("the folder and everything in it"),
  sessionId,
})

export type FileChange = z.infer<typeof FileChangeSchema>
export type SearchMatch = z.infer<typeof SearchMatchSchema>
export type SearchEvent = z.infer<typeof SearchEventSchema>
export type FileEntry = z.infer<typeof FileEntrySchema>
export type FileStat = z.infer<typeof FileStatSchema>
export type WrittenFile = z.infer<typeof WrittenFileSchema>
export type NamedFile = z.infer<typeof NamedFileSchema>
export type MovedFile = z.infer<typeof MovedFileSchema>
export type CopiedFiles = z.infer<typeof CopiedFilesSchema>
