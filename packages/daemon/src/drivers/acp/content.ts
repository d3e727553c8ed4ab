import { fileURLToPath } from "node:url"
import type { ContentPart } from "@sandbox-agent/schema/item"
import type { ItemSink } from "../../core/driver-sink.ts"
import { imagePart } from "../shared/image-part.ts"
import { record, text } from "../shared/json.ts"

/** Content blocks of the protocol as content parts. Pictures are kept aside: an event names them. */
export class Contents {
  constructor(private readonly sink: Pick<ItemSink, "image">) {}

  /** `undefined`: there is nothing to show. */
  part(block: unknown): ContentPart | undefined {
    const { type, text: said, uri, data, mimeType, resource, name } = record(block)
    if (type === "text") return text(said) ? { type: "text", text: text(said) ?? "" } : undefined
    if (type === "image") return this.#image(text(data), text(mimeType) ?? "image/png", text(uri))
    if (type === "resource_link") return linked(text(uri) ?? "", text(name))
    if (type === "resource") {
      const { uri: from, text: inside } = record(resource)
      return text(inside) === undefined
        ? linked(text(from) ?? "", undefined)
        : { type: "text", text: text(inside) ?? "" }
    }
    // Sound has no part of its own; its bytes stay in raw.
    return { type: "json", json: { ...record(block), ...(data !== undefined && { data: undefined }) } }
  }

  #image(data: string | undefined, mime: string, uri: string | undefined): ContentPart {
    if (data === undefined || data === "") return { type: "image", mime, ...(uri && { path: pathOf(uri) ?? uri }) }
    return imagePart(this.sink, data, mime, uri && pathOf(uri))
  }
}

function linked(uri: string, name: string | undefined): ContentPart {
  const path = pathOf(uri)
  if (path !== undefined) return { type: "file_ref", path, action: "read" }
  return { type: "text", text: name === undefined || name === uri ? uri : `[${name}](${uri})` }
}

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file://")) return undefined
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined // of another machine
  }
}
