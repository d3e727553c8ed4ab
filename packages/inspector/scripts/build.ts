import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pack } from "./pack.ts"

const root = join(import.meta.dir, "..")
const dist = join(root, "dist")

/** Builds the page unless it is built of exactly these sources. Returns the bytes of what goes into the executable. */
export async function buildInspector(): Promise<number> {
  const stamp = join(dist, "stamp")
  const packed = join(dist, "inspector.pack")
  const now = stampOf()
  if (existsSync(packed) && existsSync(stamp) && readFileSync(stamp, "utf8") === now) return statSync(packed).size
  // Beside what may be served at this moment, and in a process of its own: the bundler's threads end with it.
  const fresh = `dist/page-${process.pid}`
  const vite = join(root, "../../node_modules/vite/bin/vite.js")
  const child = Bun.spawn([process.execPath, vite, "build", "--logLevel", "warn", "--outDir", fresh], {
    cwd: root,
    // Whatever the caller is: tests have another, and React would be its development build.
    env: { ...process.env, NODE_ENV: "production" },
    stdout: "inherit",
    stderr: "inherit",
  })
  if ((await child.exited) !== 0) throw new Error("the inspector could not be built")
  const { bytes } = pack(join(root, fresh), `${packed}.${process.pid}`)
  renameSync(`${packed}.${process.pid}`, packed)
  replaceFolder(join(root, fresh), join(dist, "page"))
  writeFileSync(stamp, now)
  return bytes
}

/** Tests may build at the same time, of the same sources: whoever comes second leaves it as it is. */
function replaceFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  try {
    renameSync(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error
    rmSync(from, { recursive: true, force: true })
  }
}

function stampOf(): string {
  const hash = createHash("sha256")
  const folders = ["src", "scripts", "../sandbox-agent/src", "../acp-http-client/src"]
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  const single = ["index.html", "vite.config.ts", "package.json", "../../package-lock.json"].map((name) =>
    join(root, name),
  )
  for (const file of [...files, ...single].sort((a, b) => (a < b ? -1 : 1)))
    hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest("hex")
}

if (import.meta.main) {
  const bytes = await buildInspector()
  console.log(`packages/inspector/dist  ${(bytes / 1024).toFixed(1)} KiB`)
}
