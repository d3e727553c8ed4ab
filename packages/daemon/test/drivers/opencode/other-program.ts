import { appendFileSync, chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** How a program differs from the OpenCode that the driver speaks to. */
export interface Other {
  version: string
  /** Before it tells its version. */
  versionMs?: number
  /** What it prints when it serves; `{url}` stands for its address. Nothing: it serves in silence. */
  line?: string
  status?: number
  type?: string
  body?: string
}

const [, self, given, ...words] = process.argv
if (self === fileURLToPath(import.meta.url) && given !== undefined) await main(JSON.parse(given) as Other, words)

async function main(other: Other, [word, ...rest]: string[]): Promise<void> {
  if (word !== "serve") {
    await Bun.sleep(other.versionMs ?? 0)
    console.log(other.version)
    return
  }
  appendFileSync(join(process.env.HOME ?? "", "served"), "served\n")
  const port = Number(rest[rest.indexOf("--port") + 1])
  const { status = 200, type = "text/plain", body = "" } = other
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch: () => new Response(body, { status, headers: { "content-type": type } }),
  })
  if (other.line !== undefined) console.log(other.line.replace("{url}", String(server.url)))
}

/** A program of that name in this folder. */
export function writeOther(folder: string, other: Other): string {
  const path = join(folder, "opencode")
  const words = [process.execPath, "--no-env-file", fileURLToPath(import.meta.url), JSON.stringify(other)]
  writeFileSync(path, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`)
  chmodSync(path, 0o755)
  return path
}
