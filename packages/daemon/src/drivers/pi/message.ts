import { piLimits } from "@sandbox-agent/schema/driver-limits"
import type { OutAttachment, OutMessage } from "../../core/driver.ts"
import type { Confinement } from "../../files/confinement.ts"
import { readIfRegular } from "../../files/regular-file.ts"

interface Image {
  type: "image"
  data: string
  mimeType: string
}

export interface Prompt {
  message: string
  images?: Image[]
}

/** What the models take as pictures. */
const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"]

/** A command of Pi or of an extension, a skill or a template: it is looked for at the beginning, and takes nothing before it. */
export const isCommand = (text: string): boolean => text.startsWith("/")

/** Pi takes one text: the brief stands in front of the message. */
export async function promptOf(message: OutMessage, reach: Confinement): Promise<Prompt> {
  const images: Image[] = []
  const named: string[] = []
  for (const attachment of message.attachments) {
    const image = images.length < piLimits.images ? await imageOf(attachment, reach) : undefined
    if (image !== undefined) images.push(image)
    else if (attachment.path !== undefined) named.push(attachment.path)
  }
  const list = named.map((path) => `- ${path}`).join("\n")
  const text = named.length === 0 ? message.text : `${message.text}\n\nAttached files:\n${list}`.trimStart()
  const brief = isCommand(message.text) ? undefined : message.brief
  const whole = [brief, text].filter((one) => one !== undefined && one !== "").join("\n\n")
  return { message: whole, ...(images.length > 0 && { images }) }
}

/** `undefined`: named by its path, for Pi's own tools to read. */
async function imageOf({ bytes, path, mime = "" }: OutAttachment, reach: Confinement): Promise<Image | undefined> {
  if (!pictures.includes(mime)) return undefined
  const data = bytes ?? (path === undefined ? undefined : await readIfRegular(path, piLimits.imageBytes, reach))
  if (data === undefined || data.length > piLimits.imageBytes) return undefined
  return { type: "image", data: Buffer.from(data).toString("base64"), mimeType: mime }
}
