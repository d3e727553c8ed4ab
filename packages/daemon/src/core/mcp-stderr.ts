import { createHash } from "node:crypto"
import { constants, mkdirSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import type { Mcp } from "@sandbox-agent/schema/session"
import { assertRegular, readRegularFrom } from "../files/regular-file.ts"
import type { Host } from "./driver.ts"

type StderrHost = Pick<Host, "home" | "asAgent" | "reach" | "remove">

/** Folders that this daemon has begun to use. */
const cleared = new Map<string, Promise<void>>()

/**
 * What the MCP servers of a session say on stderr. Agents keep that to themselves, and it is mostly what tells why a
 * server does not start. Each writes to a file of its own, which sessions with the same server share.
 */
export class McpStderr {
  readonly #files = new Map<string, { path: string; from: number }>()

  private constructor(private readonly host: StderrHost) {}

  /** Before the servers are started. */
  static async open(mcp: Mcp, directory: string, host: StderrHost): Promise<McpStderr> {
    const folder = join(host.home, "mcp-stderr")
    // Those of an earlier run of the daemon nobody reads any more.
    const clearing = cleared.get(folder) ?? host.remove(folder)
    cleared.set(folder, clearing)
    await clearing
    host.asAgent(() => void mkdirSync(folder, { recursive: true, mode: 0o700 }))
    const stderr = new McpStderr(host)
    for (const [name, server] of Object.entries(mcp)) {
      if ("url" in server) continue
      const hash = createHash("sha256")
        .update(JSON.stringify([directory, name, server]))
        .digest("hex")
      const path = join(folder, hash.slice(0, 32))
      stderr.#files.set(name, { path, from: await stderr.#bounded(path) })
    }
    return stderr
  }

  pathOf(name: string): string | undefined {
    return this.#files.get(name)?.path
  }

  /** The last of what a server has said since the session was opened. */
  async tail(name: string): Promise<string> {
    const file = this.#files.get(name)
    if (file === undefined) return ""
    const said = await readRegularFrom(file.path, file.from, limits.mcpStderrShownBytes, this.host.reach)
    return said === undefined ? "" : said.bytes.toString("utf8").trim()
  }

  /** A server that says much for long does not fill the disk. */
  async bound(): Promise<void> {
    for (const file of this.#files.values()) file.from = Math.min(file.from, await this.#bounded(file.path))
  }

  /** Empties a file that has become too long, which its writers only append to; how long it is then. */
  async #bounded(path: string): Promise<number> {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
    const handle = await open(path, flags).catch(() => undefined) // there is none yet
    if (handle === undefined) return 0
    try {
      await assertRegular(handle, path, this.host.reach)
      const { size } = await handle.stat()
      if (size <= limits.mcpStderrBytes) return size
      await handle.truncate(0)
      return 0
    } finally {
      await handle.close()
    }
  }
}
