import { homedir } from "node:os"
import { join, resolve } from "node:path"
import type { Confinement } from "../../files/confinement.ts"
import { contentBefore } from "../shared/compared-file.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import { unifiedDiff } from "../shared/unified-diff.ts"

/** Where Pi finds a file that was named like this. */
export function absolutePath(named: string, directory: string): string {
  const path = named.replace(/^@/, "")
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1))
  return resolve(directory, path)
}

/** What a tool that asks would do to a file. */
export async function proposedDiff(
  name: string,
  input: Json,
  path: string,
  reach: Confinement,
): Promise<string | undefined> {
  const before = await contentBefore(path, reach)
  if (before === null) return undefined
  const after = name === "write" ? text(input.content) : edited(before ?? "", input)
  return after === undefined ? undefined : unifiedDiff(path, before, after) || undefined
}

/** `undefined`: it cannot be foreseen; Pi also takes what only resembles the old text. */
function edited(before: string, input: Json): string | undefined {
  const edits = Array.isArray(input.edits) ? list(input.edits).map(record) : [input]
  return edits.reduce<string | undefined>((so, { oldText, newText }) => {
    const [old, fresh] = [text(oldText), text(newText)]
    if (so === undefined || old === undefined || fresh === undefined || !so.includes(old)) return undefined
    return so.replace(old, () => fresh)
  }, before)
}
