import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { repository } from "../../../../scripts/schemas/document.ts"

const drivers = join(repository, "packages/daemon/src")

/** What the compiler says of the claims in a file beside this one, with words exchanged; `folder` is the caller's to remove. */
export function claimsOf(name: string) {
  const folder = mkdtempSync(join(tmpdir(), "claims-"))
  const text = readFileSync(join(import.meta.dirname, name), "utf8")
  const compiled = (from = "", to = ""): string => {
    const file = join(folder, "claims.ts")
    writeFileSync(file, text.replace(from, to).replaceAll('"../../src/', `"${drivers}/`))
    const flags = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions"]
    const modules = ["--module", "preserve", "--moduleResolution", "bundler", "--target", "esnext", "--types", ""]
    const tsc = join(repository, "node_modules/typescript/bin/tsc")
    const { stdout, stderr } = spawnSync("node", [tsc, ...flags, ...modules, file], { cwd: folder, encoding: "utf8" })
    return stdout + stderr
  }
  return { folder, compiled }
}
