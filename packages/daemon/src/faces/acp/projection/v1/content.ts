import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import type { ContentBlock } from "@agentclientprotocol/sdk"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { ours } from "../envelope.ts"
import type { Scope } from "./scope.ts"

type Image = Extract<ContentPart, { type: "image" }>
type FileRef = Extract<ContentPart, { type: "file_ref" }>

export const text = (value: string): ContentBlock => ({ type: "text", text: value })

/** A part that is shown as it is; text, reasoning and the parts of tools have their own ways. */
export function blockOf(part: ContentPart, scope: Scope): ContentBlock | undefined {
  switch (part.type) {
    case "image":
      return imageBlock(part, scope)
    case "file_ref":
      return fileLink(part)
    case "json":
      return text(JSON.stringify(part.json) ?? "null")
    default:
      return undefined
  }
}

function imageBlock({ path, blob, mime: mimeType }: Image, { sessionId, sources }: Scope): ContentBlock {
  const uri = path === undefined ? undefined : fileUri(path)
  const data = blob === undefined ? undefined : sources.image?.(blob)
  if (data !== undefined) return { type: "image", data, mimeType: mimeType ?? "application/octet-stream", uri }
  // Only the daemon's own address of the bytes is sure to exist; the client knows where the daemon is.
  const address = `/v1/sessions/${encodeURIComponent(sessionId)}/blobs/${blob}`
  const name = path === undefined ? (blob ?? "image") : basename(path)
  return { type: "resource_link", name, uri: uri ?? address, mimeType, ...ours({ blob }) }
}

const fileLink = ({ path, action }: FileRef): ContentBlock => ({
  type: "resource_link",
  name: basename(path) || path,
  uri: fileUri(path),
  ...ours({ action }),
})

/** A relative path stays one: what it is relative to is not known here. */
export const fileUri = (path: string): string => (path.startsWith("/") ? pathToFileURL(path).href : encodeURI(path))
