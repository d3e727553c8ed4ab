import type { ImagePart, ItemSink } from "../../core/driver-sink.ts"

/** A picture that came as base64, kept aside: an event names it. `path`: the file it shows, where there is one. */
export function imagePart(
  images: Pick<ItemSink, "image">,
  data: string,
  mime = "image/png",
  path: string | undefined = undefined,
): ImagePart {
  return { ...images.image(Buffer.from(data, "base64"), mime), ...(path !== undefined && { path }) }
}
