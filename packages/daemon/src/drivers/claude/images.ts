import type { ContentPart } from "@sandbox-agent/schema/item"
import type { Sink } from "../../core/driver.ts"
import { record, text } from "../shared/json.ts"

/** A picture in the result of a tool. `path`: the file it shows, where there is one. */
export function imageIn(block: unknown, path: string | undefined, sink: Pick<Sink, "image">): ContentPart | undefined {
  const source = record(record(block).source)
  const [data, mime] = [text(source.data), text(source.media_type) ?? "image/png"]
  if (data === undefined) return path === undefined ? undefined : { type: "image", path, mime }
  return { ...(path && { path }), ...sink.image(Buffer.from(data, "base64"), mime) }
}
