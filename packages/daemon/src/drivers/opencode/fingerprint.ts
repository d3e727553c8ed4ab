import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import type { Host } from "../../core/driver.ts"
import { readIfRegular } from "../../files/regular-file.ts"
import { record, text } from "../shared/json.ts"

/**
 * Who OpenCode is logged in as. It reads that when it starts, so another login needs another server; tokens that it
 * renews by itself are left out, for they say nothing new.
 */
export async function credentialFingerprint(home: string, { reach }: Pick<Host, "reach">): Promise<string> {
  const file = await readIfRegular(join(home, "auth.json"), limits.settingsFileBytes, reach)
  const logins = Object.entries(record(parsed(file?.toString("utf8") ?? "{}"))).map(([provider, entry]) => {
    const { type } = record(entry)
    return [provider, type, text(record(entry).key)].join(" ")
  })
  return logins.toSorted((a, b) => (a < b ? -1 : 1)).join("\n")
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {} // OpenCode is writing it just now
  }
}
