import { createHash } from "node:crypto"
import { readdirSync, readlinkSync } from "node:fs"
import {
  type Answer,
  claudeRelease,
  openVendorServer,
  program,
  type VendorServer,
} from "@sandbox-agent/test-agents/vendor-server"
import { detectPlatform, platformName } from "../../src/install/platform.ts"
import { tarGz } from "../install/archives.ts"

const platform = platformName(detectPlatform())

/** Claude's release as this machine asks for it. */
export const claudeOf = (version: string, file = program(version, "(Claude Code)")): Record<string, Answer> =>
  claudeRelease(version, platform, file)
export const claudeProgram = (version: string): string => `/claude/${version}/${platform}/claude`

/** A server in the place of the vendors and of the registry, and the environment that leads a command to it. */
export function openMirror(paths: Record<string, Answer> = {}): VendorServer & { env: Record<string, string> } {
  const server = openVendorServer(paths)
  const { claude, github, githubApi, amp } = server.mirrors
  const env = {
    // No agent of the machine's own may be found.
    PATH: "/usr/bin:/bin",
    npm_config_registry: `${server.url}/npm/`,
    SANDBOX_AGENT_MIRROR_CLAUDE: claude,
    SANDBOX_AGENT_MIRROR_GITHUB: github,
    SANDBOX_AGENT_MIRROR_GITHUB_API: githubApi,
    SANDBOX_AGENT_MIRROR_AMP: amp,
  }
  return { ...server, env }
}

/** A package that tells its version, as a registry serves it. */
export function packageOf(name: string, version: string, address: (path: string) => string): Record<string, Answer> {
  const short = name.split("/").at(-1) ?? name
  const manifest = { name, version, bin: { [short]: "cli.js" } }
  const tarball = tarGz([
    { name: "package/package.json", content: JSON.stringify(manifest) },
    { name: "package/cli.js", content: `#!/usr/bin/env node\nconsole.log("${version}")\n`, mode: 0o755 },
  ])
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`
  const at = `/npm/${short}-${version}.tgz`
  const about: Answer = () => {
    const dist = { tarball: address(at), integrity }
    return Response.json({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } })
  }
  // Clients write the slash of a scope in more than one way.
  const names = [name, name.replace("/", "%2f"), name.replace("/", "%2F")]
  return { ...Object.fromEntries(names.map((one) => [`/npm/${one}`, about])), [at]: new Uint8Array(tarball) }
}

/** A body that goes on and never ends. */
export const endless = (): Response =>
  new Response(
    new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode("#!/bin/sh\n")),
      pull: async (stream) => {
        await Bun.sleep(10)
        stream.enqueue(new Uint8Array(64 * 1024).fill(35))
      },
    }),
  )

/** Processes that work in this folder. */
export function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
      } catch {
        return false
      }
    })
}
