import type { OutAttachment, OutMessage } from "../../core/driver.ts"

type Input =
  | { type: "text"; text: string; text_elements: [] }
  | { type: "image"; url: string }
  | { type: "localImage"; path: string }

/** What the model takes as pictures. */
const images = ["image/png", "image/jpeg", "image/gif", "image/webp"]

/** A message in Codex's words. Files that are no pictures are named, for its own tools to read. */
export function inputOf({ text, attachments, brief }: OutMessage): Input[] {
  const pictures = attachments.flatMap(picture)
  const named = attachments.filter((one) => picture(one).length === 0).flatMap(({ path }) => path ?? [])
  const list = named.map((path) => `- ${path}`).join("\n")
  const said = named.length === 0 ? text : `${text}\n\nAttached files:\n${list}`.trimStart()
  return [...words(brief ?? ""), ...pictures, ...words(said)]
}

const words = (text: string): Input[] => (text === "" ? [] : [{ type: "text", text, text_elements: [] }])

function picture({ bytes, path, mime = "" }: OutAttachment): Input[] {
  if (!images.includes(mime)) return []
  if (bytes !== undefined)
    return [{ type: "image", url: `data:${mime};base64,${Buffer.from(bytes).toString("base64")}` }]
  return path === undefined ? [] : [{ type: "localImage", path }]
}
