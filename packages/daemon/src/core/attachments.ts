import { mkdir, rm } from "node:fs/promises"
import { basename, extname, join, resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import type { Attachment } from "@sandbox-agent/schema/message"
import { isMime } from "@sandbox-agent/schema/mime"
import { blobHash } from "../files/blob-hash.ts"
import { Confinement } from "../files/confinement.ts"
import { readRegular } from "../files/regular-file.ts"
import { writeRegular } from "../files/write-file.ts"
import type { MessageRow, StoredAttachment } from "../store/row-types.ts"
import type { OutAttachment } from "./driver.ts"
import type { Session } from "./session.ts"

/** Brings every attachment of a message onto this machine, before the message is accepted. */
export function storeAttachments(s: Session, given: readonly Attachment[]): Promise<StoredAttachment[]> {
  return Promise.all(given.map((attachment, index) => store(s, attachment, `attachments[${index}]`)))
}

async function store(s: Session, a: Attachment, where: string): Promise<StoredAttachment> {
  if (a.path !== undefined) return fromPath(s, a, a.path, where)
  const { bytes, mime } = a.url === undefined ? fromData(a, where) : await fromUrl(s, a, a.url, where)
  const filename = safeName(a.filename ?? (a.url === undefined ? undefined : basename(new URL(a.url).pathname)), mime)
  return keep(s, bytes, mime, filename)
}

async function fromPath(s: Session, a: Attachment, path: string, where: string): Promise<StoredAttachment> {
  const full = resolve(s.record.directory, path)
  const mime = a.mime ?? mimeOf(full)
  const filename = safeName(a.filename ?? basename(full), mime)
  const bytes = await contentOf(s, full, where)
  const { agentUser } = s.context
  if (agentUser !== undefined && !(await agentUser.canRead(full))) {
    // The client may name what the agent's user cannot open: it gets a copy, as of what is sent.
    if (bytes !== undefined) return keep(s, bytes, mime, filename)
    throw new SandboxAgentError(
      "permission_denied",
      `${where}.path: ${full} cannot be read by user ${agentUser.name}, whom agents run as, and is too large to be copied`,
      { hint: `Let ${agentUser.name} read it, or put it into the session's directory.` },
    )
  }
  return { path: full, mime, filename, ...(bytes && { blob: keepBlob(s, bytes, mime) }) }
}

/** `undefined`: it is too large to be kept, and goes by its path alone. */
async function contentOf(s: Session, path: string, where: string): Promise<Uint8Array | undefined> {
  try {
    return await readRegular(path, limits.attachmentBytes, s.context.files)
  } catch (error) {
    if (!SandboxAgentError.is(error)) throw error
    if (error.code === "payload_too_large") return undefined
    const code = error.code === "permission_denied" ? error.code : "invalid_request"
    throw new SandboxAgentError(code, `${where}.path: ${error.detail}`)
  }
}

function fromData(a: Attachment, where: string): { bytes: Uint8Array; mime: string } {
  const text = (a.data ?? "").replace(/^data:[^,]*;base64,/i, "")
  if (!/^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(text))
    throw new SandboxAgentError("invalid_request", `${where}.data: not base64`)
  const bytes = Buffer.from(text, "base64")
  checkSize(bytes.length, where)
  const declared = /^data:([^;,]+)/i.exec(a.data ?? "")?.[1] ?? ""
  return { bytes, mime: a.mime ?? (isMime(declared) ? declared : mimeOf(a.filename ?? "")) }
}

async function fromUrl(
  s: Session,
  a: Attachment,
  url: string,
  where: string,
): Promise<{ bytes: Uint8Array; mime: string }> {
  const bad = (why: string) => new SandboxAgentError("invalid_request", `${where}.url: ${why}`)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw bad("give an http or https address")
  const signal = AbortSignal.timeout(s.context.deadlines.attachmentFetchMs)
  try {
    const response = await fetch(url, { signal })
    if (!response.ok) throw bad(`answered ${response.status}`)
    checkSize(Number(response.headers.get("content-length") ?? 0), where)
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      checkSize(size, where)
      chunks.push(chunk)
    }
    return {
      bytes: Buffer.concat(chunks),
      mime: a.mime ?? response.headers.get("content-type")?.split(";")[0] ?? mimeOf(new URL(url).pathname),
    }
  } catch (error) {
    throw SandboxAgentError.is(error)
      ? error
      : bad(`cannot be fetched (${error instanceof Error ? error.message : String(error)})`)
  }
}

function checkSize(size: number, where: string): void {
  if (size > limits.attachmentBytes)
    throw new SandboxAgentError("payload_too_large", `${where}: larger than ${limits.attachmentBytes} bytes`, {
      limit: limits.attachmentBytes,
    })
}

/** As a blob, so that events hold a reference, and as a file, for agents that take only paths. */
async function keep(s: Session, bytes: Uint8Array, mime: string, filename: string): Promise<StoredAttachment> {
  const blob = keepBlob(s, bytes, mime)
  const directory = join(attachmentDirectory(s), blob.slice(0, 16))
  const path = join(directory, filename)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeRegular(path, bytes, new Confinement())
  // Deleted while it came: its folder may have been removed before.
  if (s.deleted) await rm(attachmentDirectory(s), { recursive: true, force: true })
  s.context.agentUser?.share(path)
  return { path, blob, mime, filename }
}

export function keepBlob(s: Session, bytes: Uint8Array, mime: string): string {
  const hash = blobHash(bytes)
  if (!s.deleted) s.context.store.write(() => s.context.rows.saveBlob(s.record.uid, hash, mime, bytes))
  return hash
}

export const attachmentDirectory = (s: Session): string => join(s.context.attachments, String(s.record.uid))

/** The message as it stands in the transcript. */
export function userContent(m: MessageRow): ContentPart[] {
  const parts: ContentPart[] = m.text === "" && m.attachments.length > 0 ? [] : [{ type: "text", text: m.text }]
  for (const { path, blob, mime } of m.attachments)
    parts.push(
      mime.startsWith("image/")
        ? { type: "image", path, blob, mime }
        : { type: "file_ref", path, action: "read", blob, mime },
    )
  return parts
}

export function outAttachments(s: Session, m: MessageRow): Promise<OutAttachment[]> {
  return Promise.all(
    m.attachments.map(async ({ path, blob, mime, filename }) => {
      const bytes = blob === undefined ? undefined : s.context.rows.blob(s.record.uid, blob)?.bytes
      return { path, mime, filename, bytes }
    }),
  )
}

/** By its ending alone: Bun opens a whole name to say this, and throws at one that no file can have. */
export function mimeOf(name: string): string {
  const ending = /\.[\w+-]{1,16}$/.exec(name)?.[0]
  const known = ending === undefined ? "" : Bun.file(`file${ending}`).type
  return known.split(";")[0] || "application/octet-stream"
}

function safeName(name: string | undefined, mime: string): string {
  const plain = basename(name ?? "")
    .replace(/[^A-Za-z0-9._-]/g, "_")
    .replace(/^\.+/, "_")
  if (plain !== "" && extname(plain) !== "") return plain.slice(-128)
  return `${plain || "attachment"}.${/^[a-z]+\/([a-z0-9]+)/.exec(mime)?.[1] ?? "bin"}`.slice(-128)
}
