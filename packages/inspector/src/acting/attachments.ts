import type { Attachment } from "sandbox-agent"

export interface Attached {
  name: string
  size: number
  attachment: Attachment
}

/** What the daemon takes in one message. */
const mostBytes = 16 * 1024 * 1024

export async function attachmentOf(file: File): Promise<Attached> {
  if (file.size > mostBytes)
    throw new Error(`${file.name} is larger than 16 MB; put it there with Files, and name its path`)
  const data = await base64(file)
  const name = file.name || "pasted"
  return { name, size: file.size, attachment: { data, filename: name, ...(file.type && { mime: file.type }) } }
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ""))
    reader.onerror = () => reject(reader.error ?? new Error(`${file.name} cannot be read`))
    reader.readAsDataURL(file)
  })
}
