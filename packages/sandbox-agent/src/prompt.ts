import { SandboxAgentError } from "./errors.ts"
import type { Attachment, PostMessageRequest } from "./types.ts"

/** A piece of what is said to an agent. `data` is base64. */
export type PromptPart =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | ({ type: "file"; mimeType?: string; filename?: string } & (
      | { path: string; url?: undefined; data?: undefined }
      | { url: string; path?: undefined; data?: undefined }
      | { data: string; path?: undefined; url?: undefined }
    ))

export type Prompt = string | readonly PromptPart[]

export function partsOf(prompt: Prompt): readonly PromptPart[] {
  if (typeof prompt === "string") return [{ type: "text", text: prompt }]
  if (Array.isArray(prompt)) return prompt
  throw new SandboxAgentError("argument", "prompt: give a text, or an array of parts")
}

/** A prompt as a message: its texts a line each, its images and files as attachments. */
export function messageOf(prompt: Prompt): Pick<PostMessageRequest, "message" | "attachments"> {
  const texts: string[] = []
  const attachments: Attachment[] = []
  for (const part of partsOf(prompt)) {
    if (part.type === "text") texts.push(part.text)
    else if (part.type === "image") attachments.push({ data: part.data, mime: part.mimeType })
    else if (part.type === "file") attachments.push(attachmentOf(part))
    else throw new SandboxAgentError("argument", `prompt: ${JSON.stringify(part)} is neither text, image nor file`)
  }
  return { message: texts.join("\n"), ...(attachments.length > 0 && { attachments }) }
}

function attachmentOf({
  mimeType: mime,
  filename,
  path,
  url,
  data,
}: Extract<PromptPart, { type: "file" }>): Attachment {
  const from = path !== undefined ? { path } : url !== undefined ? { url } : { data }
  return { ...from, ...(mime !== undefined && { mime }), ...(filename !== undefined && { filename }) }
}
