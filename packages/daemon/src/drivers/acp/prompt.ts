import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import type { ContentBlock } from "@agentclientprotocol/sdk"
import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { contextOf, mentionOf, nameOf } from "@sandbox-agent/schema/mention"
import type { OutAttachment, OutMessage } from "../../core/driver.ts"
import type { Confinement } from "../../files/confinement.ts"
import { readIfRegular } from "../../files/regular-file.ts"
import { record, text } from "../shared/json.ts"
import type { Abilities } from "./initialize.ts"

/** What a prompt says beside the session it is for. */
export interface Prompt {
  prompt: object[]
}

/** A message as the agent takes it: as its client said it in this protocol, else made of its words and attachments. */
export async function promptOf(message: OutMessage, abilities: Abilities, reach: Confinement): Promise<Prompt> {
  const { passthrough, brief = "" } = message
  const before = brief === "" ? [] : [words(brief)]
  if (passthrough === undefined) return { prompt: await blocksOf(message, before, abilities, reach) }
  const contexts: ContentBlock[] = []
  const blocks: object[] = []
  for (const { block, attachment } of passthrough.blocks) {
    const resource = record(block.resource)
    const inside = text(resource.text)
    if (attachment !== undefined) {
      const from = message.attachments[attachment]
      if (from !== undefined) blocks.push(await withBytes(block, from, abilities, reach))
    } else if (block.type === "resource" && !abilities.embeddedContext && inside !== undefined) {
      const uri = text(resource.uri) ?? ""
      blocks.push(words(mentionOf(nameOf(uri), uri)))
      contexts.push(words(contextOf(uri, inside)))
    } else blocks.push(block)
  }
  return { ...passthrough.params, prompt: [...before, ...blocks, ...contexts] }
}

const words = (said: string): ContentBlock => ({ type: "text", text: said })

/** Pictures inside where the agent can see them, other files as links it can follow. */
async function blocksOf(
  { text: said, attachments }: OutMessage,
  before: readonly ContentBlock[],
  abilities: Abilities,
  reach: Confinement,
): Promise<ContentBlock[]> {
  const blocks = said === "" ? [...before] : [...before, words(said)]
  for (const attachment of attachments) blocks.push(await blockOf(attachment, abilities, reach))
  return blocks.length > 0 ? blocks : [words("")]
}

/** The block as its client sent it, where the agent takes its kind; else as every attachment. */
async function withBytes(
  block: Readonly<Record<string, unknown>>,
  attachment: OutAttachment,
  abilities: Abilities,
  reach: Confinement,
): Promise<object> {
  const { image, audio, embeddedContext } = abilities
  const takes = block.type === "image" ? image : block.type === "audio" ? audio : embeddedContext
  const bytes = takes ? await bytesOf(attachment, reach) : undefined
  if (bytes === undefined) return blockOf(attachment, abilities, reach)
  const data = Buffer.from(bytes).toString("base64")
  return block.type === "resource"
    ? { ...block, resource: { ...record(block.resource), blob: data } }
    : { ...block, data }
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
  if (bytes === undefined) return words(`[${name} could not be attached]`)
  const uri = `attachment:${encodeURIComponent(name)}`
  return { type: "resource", resource: { uri, mimeType, blob: Buffer.from(bytes).toString("base64") } }
}

async function bytesOf({ bytes, path }: OutAttachment, reach: Confinement): Promise<Uint8Array | undefined> {
  if (bytes !== undefined) return bytes.length > acpAgentLimits.promptBytes ? undefined : bytes
  return path === undefined ? undefined : readIfRegular(path, acpAgentLimits.promptBytes, reach)
}
