import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Attachment } from "@sandbox-agent/schema/message"

/** `@path` at the beginning of a word; quotes let a path have spaces. */
const mention = /(?<=^|\s)@(?:"([^"]+)"|(\S+))/g

/** Files that a message names by `@path`: they go with it. A word that names none is only a word. */
export function mentioned(text: string, directory: string, here: boolean): Attachment[] {
  const paths = [...text.matchAll(mention)].flatMap(
    ([, quoted, plain]) => quoted ?? plain?.replace(/[.,;:!?)]+$/, "") ?? [],
  )
  return [...new Set(paths)].flatMap((path): Attachment[] => {
    const whole = resolve(directory, path.startsWith("~/") ? join(process.env.HOME ?? "~", path.slice(2)) : path)
    const found = statSync(whole, { throwIfNoEntry: false })
    if (found === undefined || !found.isFile()) return []
    return [here ? { path: whole } : { data: bytesOf(whole, found.size), filename: basename(whole) }]
  })
}

/** The daemon is elsewhere and cannot open it. */
function bytesOf(path: string, size: number): string {
  if (size > limits.attachmentBytes)
    throw new SandboxAgentError("payload_too_large", `${path} is larger than ${limits.attachmentBytes} bytes`, {
      hint: "put it there with `sandbox-agent fs put`, and name it by its path",
    })
  return readFileSync(path).toString("base64")
}

/** Paths that begin with what stands before the cursor, for Tab. */
export function completePath(before: string, directory: string): string | undefined {
  const [, begun] = /(?:^|\s)@(\S*)$/.exec(before) ?? []
  if (begun === undefined) return undefined
  const name = begun.slice(begun.lastIndexOf("/") + 1)
  const found = namesIn(resolve(directory, begun.slice(0, begun.length - name.length)))
    .filter((one) => one.startsWith(name) && (name !== "" || !one.startsWith(".")))
    .map((one) => begun.slice(0, begun.length - name.length) + one)
  if (found.length === 0) return undefined
  const common = found.reduce((a, b) => {
    let length = 0
    while (length < a.length && a[length] === b[length]) length++
    return a.slice(0, length)
  })
  return common.length > begun.length ? common.slice(begun.length) : undefined
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // there is no such folder yet, or none that may be read
  }
}
