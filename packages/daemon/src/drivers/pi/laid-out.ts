import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Host } from "../../core/driver.ts"
import { shortHash } from "../shared/launcher.ts"

/** A folder of ours with these files, named for what is in it: it is made once, and never changed. */
export function laidOut(
  name: string,
  files: Readonly<Record<string, string>>,
  mode: number,
  { home, asAgent }: Pick<Host, "home" | "asAgent">,
): string {
  const folder = join(home, `${name}-${shortHash(JSON.stringify(files))}`)
  asAgent(() => existsSync(folder) || layOut(folder, files, mode))
  return folder
}

/** Made aside and renamed: half a folder never has the final name. */
function layOut(folder: string, files: Readonly<Record<string, string>>, mode: number): void {
  mkdirSync(join(folder, ".."), { recursive: true, mode: 0o700 })
  const fresh = mkdtempSync(`${folder}-`)
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(fresh, name), text, { mode })
    renameSync(fresh, folder)
  } catch (error) {
    // Another session was faster.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}
