import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import type { ContentBlock } from "@agentclientprotocol/sdk"
import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import type { OutAttachment, OutMessage } from "../../core/driver.ts"
import type { Confinement } from "../../files/confinement.ts"
import { readIfRegular } from "../../files/regular-file.ts"
import type { Abilities } from "./initialize.ts"

/** A message as the agent takes it: pictures inside where it can see them, other files as links it can follow. */
export async function promptOf(message: OutMessage, abilities: Abilities, reach: Confinement): Promise<ContentBlock[]> {
  const blocks: ContentBlock[] = [message.brief ?? "", message.text].flatMap((text) =>
    text === "" ? [] : [{ type: "text", text }],
  )
  for (const attachment of message.attachments) blocks.push(await blockOf(attachment, abilities, reach))
  return blocks.length > 0 ? blocks : [{ type: "text", text: "" }]
}

async function blockOf(
  attachment: OutAttachment,
  { image, embeddedContext }: Abilities,
  reach: Confinement,
): Promise<ContentBlock> {
  const { path, mime = "", filename } = attachment
  if (image && mime.startsWith("image/")) {
    const bytes = await bytesOf(attachment, reach)
    if (bytes !== undefined) return { type: "image", mimeType: mime, data: Buffer.from(bytes).toString("base64") }
  }
  const name = filename ?? basename(path ?? "attachment")
  const mimeType = mime || undefined
  if (path !== undefined) return { type: "resource_link", uri: pathToFileURL(path).href, name, mimeType }
  const bytes = embeddedContext ? await bytesOf(attachment, reach) : undefined
  if (bytes === undefined) return { type: "text", text: `[${name} could not be attached]` }
  const uri = `attachment:${encodeURIComponent(name)}`
  return { type: "resource", resource: { uri, mimeType, blob: Buffer.from(bytes).toString("base64") } }
}

async function bytesOf({ bytes, path }: OutAttachment, reach: Confinement): Promise<Uint8Array | undefined> {
  if (bytes !== undefined) return bytes.length > acpAgentLimits.promptBytes ? undefined : bytes
  return path === undefined ? undefined : readIfRegular(path, acpAgentLimits.promptBytes, reach)
}
