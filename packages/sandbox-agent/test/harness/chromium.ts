import { spawnSync } from "node:child_process"
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createBrotliDecompress } from "node:zlib"
import { cache, fetched, isMusl } from "@sandbox-agent/test-agents/fetched"

const version = "153.0.0"

/** The first is the same without windows, which no test looks at: they cost a second of each start. */
const OWN = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map(
  (name) => `/usr/bin/${name}`,
)

export interface ChromiumProgram {
  executablePath: string
  env?: Record<string, string>
}

/** The machine's own, or one from the registry, unpacked once per machine; undefined where there is none for it. */
export async function chromiumProgram(): Promise<ChromiumProgram | undefined> {
  const own = OWN.find(existsSync)
  if (own !== undefined) return { executablePath: own }
  if (process.platform !== "linux" || process.arch !== "x64" || isMusl) return undefined
  const folder = join(cache, `chromium-${version}-unpacked`)
  if (!existsSync(folder)) await unpack(folder)
  const env = { ...(process.env as Record<string, string>), LD_LIBRARY_PATH: join(folder, "lib") }
  return { executablePath: join(folder, "chromium"), env }
}

/** Half of it never has the final name. */
async function unpack(folder: string): Promise<void> {
  const name = "@sparticuz/chromium"
  const packed = dirname(
    fetched({ name: `chromium-${version}`, spec: `${name}@${version}`, file: `${name}/bin/chromium.br` }),
  )
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, ".chromium-"))
  const open = (from: string, to: string) =>
    pipeline(createReadStream(join(packed, from)), createBrotliDecompress(), createWriteStream(join(fresh, to)))
  try {
    await open("chromium.br", "chromium")
    await open("al2023.tar.br", "libraries.tar")
    const { status, stderr } = spawnSync("tar", ["xf", "libraries.tar"], { cwd: fresh, encoding: "utf8" })
    if (status !== 0) throw new Error(`tar: ${stderr}`)
    chmodSync(join(fresh, "chromium"), 0o755)
    renameSync(fresh, folder)
  } catch (error) {
    // Another test may have been faster.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}
