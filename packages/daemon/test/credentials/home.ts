import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

/** A home with these files, gone after the test. Objects are written as JSON. */
export function homeWith(files: Record<string, object | string>): string {
  const home = mkdtempSync(join(tmpdir(), "sa-home-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
    chmodSync(path, 0o600)
  }
  return home
}

/** A token that says when it ends. */
export const jwt = (exp: number): string =>
  ["{}", JSON.stringify({ exp }), "sig"].map((part) => Buffer.from(part).toString("base64url")).join(".")
