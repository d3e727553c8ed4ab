import { createHash } from "node:crypto"

export type Answer = string | Uint8Array | ((request: Request) => Response | Promise<Response>)

/** An HTTP server in the place of all vendors. What it is not given it answers with 404. */
export interface VendorServer extends Disposable {
  url: string
  mirrors: { claude: string; github: string; githubApi: string; amp: string }
  asked: string[]
  set(path: string, answer: Answer): void
}

export function openVendorServer(paths: Record<string, Answer> = {}): VendorServer {
  const answers = new Map(Object.entries(paths))
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch(request) {
      const path = new URL(request.url).pathname
      asked.push(path)
      const answer = answers.get(path)
      if (answer === undefined) return new Response("no such file", { status: 404 })
      return typeof answer === "function" ? answer(request) : new Response(answer)
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return {
    url,
    asked,
    mirrors: { claude: `${url}/claude`, github: `${url}/github`, githubApi: `${url}/api`, amp: `${url}/amp` },
    set: (path, answer) => void answers.set(path, answer),
    [Symbol.dispose]: () => void server.stop(true),
  }
}

export const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** A program that tells its version, and nothing else. */
export const program = (version: string, note = ""): string => `#!/bin/sh\necho "${version} ${note}"\n`

/** Claude's release folder as the vendor lays it out. */
export function claudeRelease(version: string, platform: string, file: string, checksum = sha256(file)) {
  return {
    "/claude/latest": version,
    [`/claude/${version}/manifest.json`]: JSON.stringify({ version, platforms: { [platform]: { checksum } } }),
    [`/claude/${version}/${platform}/claude`]: file,
  }
}
