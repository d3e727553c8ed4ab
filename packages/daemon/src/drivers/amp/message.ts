import { ampLimits } from "@sandbox-agent/schema/driver-limits"
import type { OutAttachment, OutMessage } from "../../core/driver.ts"
import type { Confinement } from "../../files/confinement.ts"
import { readIfRegular } from "../../files/regular-file.ts"

type Part =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: string; data: string } }

export interface UserMessage {
  type: "user"
  message: { role: "user"; content: Part[] }
}

export async function userMessage(message: OutMessage, reach: Confinement): Promise<UserMessage> {
  const images: Part[] = []
  const named: string[] = []
  for (const attachment of message.attachments) {
    const image = images.length < ampLimits.images ? await imagePart(attachment, reach) : undefined
    if (image !== undefined) images.push(image)
    else if (attachment.path !== undefined) named.push(attachment.path)
  }
  const list = named.map((path) => `- ${path}`).join("\n")
  const text = named.length === 0 ? message.text : `${message.text}\n\nAttached files:\n${list}`.trimStart()
  const texts = [message.brief, text].filter((one) => one !== undefined && one !== "")
  const content = [...texts.map((one): Part => ({ type: "text", text: one as string })), ...images]
  return { type: "user", message: { role: "user", content } }
}

/** `undefined`: named by its path, for Amp's own tools to read. Amp ends when a picture is not what it is said to be. */
async function imagePart({ bytes, path, mime }: OutAttachment, reach: Confinement): Promise<Part | undefined> {
  if (mime?.startsWith("image/") !== true) return undefined
  const data = bytes ?? (path === undefined ? undefined : await readIfRegular(path, ampLimits.imageBytes, reach))
  if (data === undefined || data.length > ampLimits.imageBytes) return undefined
  const type = typeOf(Buffer.from(data))
  if (type === undefined) return undefined
  return { type: "image", source: { type: "base64", media_type: type, data: Buffer.from(data).toString("base64") } }
}

/** By its first bytes, as Amp finds it. */
function typeOf(data: Buffer): string | undefined {
  const begins = (text: string, at = 0) => data.subarray(at, at + text.length).equals(Buffer.from(text, "latin1"))
  if (begins("\x89PNG\r\n\x1a\n")) return "image/png"
  if (begins("\xff\xd8\xff")) return "image/jpeg"
  if (begins("GIF8")) return "image/gif"
  return begins("RIFF") && begins("WEBP", 8) ? "image/webp" : undefined
}
