import { readFileSync } from "node:fs"
import { join } from "node:path"
import { asTable, textIn } from "./native.ts"

/**
 * Who OpenCode is logged in as. It reads that when it starts, so another login needs another server; tokens that it
 * renews by itself are left out, for they say nothing new.
 */
export function credentialFingerprint(home: string): string {
  const logins = Object.entries(asTable(parsed(join(home, "auth.json")))).map(([provider, entry]) => {
    const { type } = asTable(entry)
    return [provider, type, textIn(asTable(entry), "key")].join(" ")
  })
  return logins.toSorted((a, b) => (a < b ? -1 : 1)).join("\n")
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return {} // nobody is logged in, or OpenCode is writing it just now
  }
}
