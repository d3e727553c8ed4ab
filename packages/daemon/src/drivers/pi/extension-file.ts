import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Host } from "../../core/driver.ts"
import { shortHash } from "../shared/launcher.ts"
import ask from "./extension/ask.ts" with { type: "text" }
import index from "./extension/index.ts" with { type: "text" }

/** The extension that asks for us, by the names of its files. Inside the executable they are texts. */
export const extensionFiles: Readonly<Record<string, string>> = {
  "ask.ts": ask as unknown as string,
  "index.ts": index as unknown as string,
}

/** On disk, where Pi can load it: in a folder that is named for its content, and never changed. */
export function extensionFile({ home, asAgent }: Pick<Host, "home" | "asAgent">): string {
  const folder = join(home, "extensions", shortHash(JSON.stringify(extensionFiles)))
  asAgent(() => existsSync(folder) || layOut(folder, join(home, "extensions")))
  return join(folder, "index.ts")
}

/** Made aside and renamed: half an extension never has the final name. */
function layOut(folder: string, parent: string): void {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  const fresh = mkdtempSync(join(parent, ".new-"))
  try {
    for (const [name, text] of Object.entries(extensionFiles)) writeFileSync(join(fresh, name), text)
    renameSync(fresh, folder)
  } catch (error) {
    // Another session was faster.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}
