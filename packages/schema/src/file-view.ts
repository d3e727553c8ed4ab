import { z } from "zod"

export const EntryTypeSchema = z.enum(["file", "directory"])

const described = {
  path: z.string(),
  uri: z.string().optional().describe("its `file:` address, where its path is no UTF-8 text; taken wherever a path is"),
  entryType: EntryTypeSchema.describe("of what a link leads to, if that is there and may be looked at"),
  size: z.number().int(),
  modified: z.string(),
  mode: z.string().describe("octal digits"),
  special: z.enum(["fifo", "socket", "device"]).optional(),
  symlink: z.string().optional().describe("where it points, of a symbolic link"),
}

export const FileEntrySchema = z.object({ name: z.string(), ...described })

export const FileStatSchema = z.object({
  ...described,
  realPath: z.string().describe("with all links followed"),
  uid: z.number().int(),
  gid: z.number().int(),
  links: z.number().int().describe("names of this file, hard links included"),
  etag: z.string().optional().describe("as GET of the file answers it"),
})

export const WrittenFileSchema = z.object({
  path: z.string(),
  bytesWritten: z.number().int(),
  created: z.boolean().describe("there was none before"),
  etag: z.string(),
})

export const NamedFileSchema = z.object({ path: z.string() })
export const MovedFileSchema = z.object({ from: z.string(), to: z.string() })

export const SkippedFileSchema = z.object({ path: z.string(), reason: z.string() })

export const CopiedFilesSchema = z.object({
  from: z.string(),
  to: z.string(),
  files: z.number().int(),
  bytes: z.number().int(),
  skipped: z.array(SkippedFileSchema).describe("pipes, sockets and devices; the first thousand"),
})

export const UploadedFilesSchema = z.object({
  paths: z.array(z.string()).describe("of what was made, the first thousand"),
  truncated: z.boolean().describe("there are more than `paths` names"),
  files: z.number().int(),
  directories: z.number().int(),
  links: z.number().int(),
  bytes: z.number().int(),
  skipped: z.array(SkippedFileSchema).describe("what was left out and why, the first thousand"),
  skippedCount: z.number().int(),
})

export const FileChangeSchema = z.object({
  type: z
    .enum(["ready", "created", "modified", "deleted", "moved", "resync"])
    .describe("`ready`: from now on everything is told; `resync`: something was missed, look again"),
  path: z.string().optional(),
  uri: z.string().optional(),
  entryType: EntryTypeSchema.optional(),
  from: z.string().optional().describe("where it was, of what was moved"),
  fromUri: z.string().optional(),
})

export const SearchMatchSchema = z.object({
  type: z.literal("match"),
  path: z.string(),
  uri: z.string().optional(),
  line: z.number().int(),
  column: z.number().int(),
  text: z.string().describe("the line, cut after a thousand characters"),
  before: z.array(z.string()).optional(),
  after: z.array(z.string()).optional(),
})

export const SearchNameSchema = z.object({
  type: z.literal("name"),
  path: z.string(),
  uri: z.string().optional(),
  entryType: EntryTypeSchema,
  score: z.number().describe("the best come first"),
})

export const SearchDoneSchema = z.object({
  type: z.literal("done"),
  files: z.number().int().describe("looked at"),
  matches: z.number().int(),
  large: z.number().int().describe("files that were too large to be searched"),
  truncated: z.boolean().describe("there are more"),
})

export const SearchEventSchema = z.discriminatedUnion("type", [SearchMatchSchema, SearchNameSchema, SearchDoneSchema])
