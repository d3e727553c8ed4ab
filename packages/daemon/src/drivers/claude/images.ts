import type { ContentPart } from "@sandbox-agent/schema/item"
import type { ItemSink } from "../../core/driver-sink.ts"
import { imagePart } from "../shared/image-part.ts"
import { record, text } from "../shared/json.ts"

/** A picture in the result of a tool. `path`: the file it shows, where there is one. */
export function imageIn(
  block: unknown,
  path: string | undefined,
  sink: Pick<ItemSink, "image">,
): ContentPart | undefined {
  const source = record(record(block).source)
  const [data, mime] = [text(source.data), text(source.media_type)]
  if (data !== undefined) return imagePart(sink, data, mime, path)
  return path === undefined ? undefined : { type: "image", path, mime: mime ?? "image/png" }
}
