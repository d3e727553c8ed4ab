import { createHash, randomBytes } from "node:crypto"
import type { AgentEntry } from "../../src/install/entry.ts"
import { tarGz } from "./archives.ts"

/** One package of a registry of ours: a JavaScript agent that tells its version. */
export interface Registry extends Disposable {
  url: string
  asked: { path: string; authorization: string | null }[]
  tarballs: () => number
}

export interface RegistryOptions {
  version?: string
  /** A newer one that depends on what is not there. */
  newest?: string
  /** So many packages that are not there; one without. */
  missing?: number
  /** Told in place of the right one. */
  integrity?: string
  /** Never finishes the tarball. */
  hang?: boolean
  /** Never answers at all. */
  silent?: boolean
  /** Bytes of the package that no archive makes smaller; after the first half it waits for this. */
  large?: { bytes: number; half: Promise<unknown> }
  /** As the registry tells the size of the package. */
  unpackedSize?: number
}

export const toolEntry: AgentEntry = {
  agent: "tool",
  binary: "sa-test-tool",
  tested: "1.0.0",
  versionCommands: [["--version"]],
  versionPattern: /\d+\.\d+\.\d+/,
  npm: [{ runtime: "bun", script: { name: "sa-test-tool", bin: "sa-test-tool" } }],
}
export const toolTable = new Map([[toolEntry.agent, toolEntry]])

export function openRegistry(options: RegistryOptions = {}): Registry {
  const { version = "1.2.3", newest, missing = 1, integrity, hang, silent, large, unpackedSize } = options
  const asked: Registry["asked"] = []
  const manifest = { name: "sa-test-tool", version, bin: { "sa-test-tool": "cli.js" } }
  const tarball = tarGz([
    { name: "package/package.json", content: JSON.stringify(manifest) },
    { name: "package/cli.js", content: `#!/usr/bin/env node\nconsole.log("${version}")\n`, mode: 0o755 },
    ...(large ? [{ name: "package/large", content: randomBytes(large.bytes) }] : []),
  ])
  const right = `sha512-${createHash("sha512").update(tarball).digest("base64")}`
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch(request, server): Response | Promise<Response> {
      const path = new URL(request.url).pathname
      asked.push({ path, authorization: request.headers.get("authorization") })
      if (silent) return new Promise(() => {})
      if (path.endsWith(".tgz"))
        return new Response(hang ? stuck(tarball) : large ? halting(tarball, large.half) : tarball)
      if (!path.endsWith("/sa-test-tool")) return new Response("{}", { status: 404 })
      const dist = {
        tarball: `http://127.0.0.1:${server.port}/sa-test-tool-${version}.tgz`,
        integrity: integrity ?? right,
        unpackedSize,
      }
      return Response.json({
        name: "sa-test-tool",
        "dist-tags": { latest: newest ?? version },
        versions: {
          [version]: { ...manifest, dist },
          ...(newest
            ? {
                [newest]: {
                  ...manifest,
                  version: newest,
                  dependencies: Object.fromEntries(
                    Array.from({ length: missing }, (_, n) => [`sa-missing-${n}`, newest]),
                  ),
                  dist,
                },
              }
            : {}),
        },
      })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/`,
    asked,
    tarballs: () => asked.filter(({ path }) => path.endsWith(".tgz")).length,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

const halting = (bytes: Uint8Array, half: Promise<unknown>) =>
  new ReadableStream({
    async start(stream) {
      const middle = Math.floor(bytes.length / 2)
      stream.enqueue(bytes.subarray(0, middle))
      await half
      stream.enqueue(bytes.subarray(middle))
      stream.close()
    },
  })

const stuck = (bytes: Uint8Array) =>
  new ReadableStream({
    start: (stream) => stream.enqueue(bytes.subarray(0, 20)),
    pull: () => new Promise<void>(() => {}),
  })
