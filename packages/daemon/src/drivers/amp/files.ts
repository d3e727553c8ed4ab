import type { Confinement } from "../../files/confinement.ts"
import { contentBefore } from "../shared/compared-file.ts"
import { text } from "../shared/json.ts"
import { unifiedDiff } from "../shared/unified-diff.ts"
import type { Ask } from "./ask.ts"

/** What a tool that asks would do to a file. A patch is shown as it is. */
export async function proposedDiff(
  { tool, input }: Ask,
  path: string | undefined,
  reach: Confinement,
): Promise<string | undefined> {
  if (tool === "apply_patch") return text(input.patchText)
  if (path === undefined) return undefined
  const before = await contentBefore(path, reach)
  if (before === null) return undefined
  const after = afterOf(tool, input, before ?? "")
  return after === undefined ? undefined : unifiedDiff(path, before, after) || undefined
}

function afterOf(tool: string, input: Ask["input"], before: string): string | undefined {
  if (tool === "create_file") return text(input.content)
  const [old, fresh] = [text(input.old_str), text(input.new_str)]
  if (tool !== "edit_file" || old === undefined || fresh === undefined || !before.includes(old)) return undefined
  return input.replace_all === true ? before.replaceAll(old, () => fresh) : before.replace(old, () => fresh)
}
