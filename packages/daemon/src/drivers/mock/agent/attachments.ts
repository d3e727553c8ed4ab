import { statSync } from "node:fs"
import { basename } from "node:path"
import type { UserMessage } from "../protocol.ts"

type Attachment = UserMessage["attachments"][number]

/** One line per attachment: name, type, size and, if it is on disk, where. */
export const attachmentNotes = (attachments: readonly Attachment[]): string => attachments.map(note).join("\n")

function note({ name, mime, path, data }: Attachment): string {
  const shown = name ?? (path === undefined ? "unnamed" : basename(path))
  const details = [mime, size(path, data), path].filter((detail) => detail !== undefined)
  return `Attachment ${shown} (${details.join(", ")})`
}

function size(path: string | undefined, data: string | undefined): string {
  if (data !== undefined) return `${Buffer.from(data, "base64").length} bytes`
  const stat = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
  return stat ? `${stat.size} bytes` : "not found"
}
