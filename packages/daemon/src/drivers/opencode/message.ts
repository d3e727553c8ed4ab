import { stat } from "node:fs/promises"
import { pathToFileURL } from "node:url"
import { opencodeLimits } from "@sandbox-agent/schema/driver-limits"
import type { OutAttachment, OutMessage } from "../../core/driver.ts"
import type { Confinement } from "../../files/confinement.ts"
import { readIfRegular } from "../../files/regular-file.ts"
import { nativeId } from "./ids.ts"
import type { Command, PromptPart } from "./native.ts"

/** What goes to the model as it is; the rest is read from its file, or named. */
const shown = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"]
const textual = /^text\/|[/+](json|xml|yaml|toml|javascript|typescript|x-sh)$/

/** A message as parts with ids of ours: sent again with the same ones it is still the same message. */
export async function promptParts({ text, attachments, brief }: OutMessage, reach: Confinement): Promise<PromptPart[]> {
  const files: PromptPart[] = []
  const named: string[] = []
  for (const attachment of attachments) {
    const part = await filePart(attachment, reach)
    if (part !== undefined) files.push(part)
    else if (attachment.path !== undefined) named.push(attachment.path)
  }
  const list = named.map((path) => `- ${path}`).join("\n")
  const said = named.length === 0 ? text : `${text}\n\nAttached files:\n${list}`.trimStart()
  const spoken: PromptPart[] = said === "" ? [] : [{ type: "text", text: said }]
  // Synthetic: for the model, and not the person's words.
  const before: PromptPart[] = brief === undefined ? [] : [{ type: "text", text: brief, synthetic: true }]
  return [...before, ...files, ...spoken].map((part) => ({ ...part, id: nativeId("prt") }))
}

async function filePart(
  { bytes, path, mime = "", filename }: OutAttachment,
  reach: Confinement,
): Promise<PromptPart | undefined> {
  const name = filename === undefined ? {} : { filename }
  if (shown.includes(mime)) {
    const data =
      bytes ?? (path === undefined ? undefined : await readIfRegular(path, opencodeLimits.attachmentBytes, reach))
    if (data === undefined || data.length > opencodeLimits.attachmentBytes) return undefined
    const url = `data:${mime};base64,${Buffer.from(data).toString("base64")}`
    return { type: "file", mime, url, ...name }
  }
  if (path === undefined || !textual.test(mime)) return undefined
  const found = await stat(path).catch(() => undefined)
  // OpenCode reads it as its own tool for reading would, with the same limits.
  return found?.isFile() ? { type: "file", mime: "text/plain", url: pathToFileURL(path).href, ...name } : undefined
}

/** Known to OpenCode's own terminal only; everywhere else it is a request. */
export const COMPACT = "/compact"

/** `/name arguments`, where there is such a command. */
export function commandIn(
  text: string,
  commands: readonly Command[],
): { command: string; arguments: string } | undefined {
  const [, name, rest = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? []
  return commands.some((command) => command.name === name) && name !== undefined
    ? { command: name, arguments: rest.trim() }
    : undefined
}
