import { gunzipSync } from "node:zlib"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { answerOf, onePiece } from "../http/answer.ts"
import type { StalledReaders } from "../http/stalled-readers.ts"

/** What `packages/inspector/scripts/pack.ts` writes: where each file stands in the pack, compressed in both ways. */
interface Asset {
  type: string
  etag: string
  br: [from: number, to: number]
  gzip: [from: number, to: number]
}
interface Pack {
  /** Where the files begin. */
  begin: number
  assets: Record<string, Asset>
}

/**
 * No script but the page's own, nothing that an agent printed can become one, and nothing is loaded from elsewhere. Only requests
 * may go out: the page can look at other daemons.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "connect-src http: https: ws: wss:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ")

const common = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  vary: "Accept-Encoding",
}

let opened: Promise<{ file: Bun.BunFile; pack: Pack }> | undefined

export async function assetAnswer(name: string, request: Request, stalled: StalledReaders): Promise<Response> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined
    throw error
  })
  const { file, pack } = await opened
  const asset = Object.hasOwn(pack.assets, name) ? pack.assets[name] : undefined
  if (asset === undefined) throw new SandboxAgentError("not_found", `there is nothing at /ui/${name.slice(0, 200)}`)
  const accepted = (request.headers.get("accept-encoding") ?? "").toLowerCase()
  const coding = /\bbr\b(?!;q=0(?:\.0*)?(?:,|$))/.test(accepted) ? "br" : /\bgzip\b/.test(accepted) ? "gzip" : undefined
  const etag = `"${asset.etag}${coding === undefined ? "" : `-${coding}`}"`
  const headers: Record<string, string> = {
    ...common,
    etag,
    // The names of all others tell what is in them.
    "cache-control": name === "index.html" ? "no-cache" : "public, max-age=31536000, immutable",
  }
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers })
  headers["content-type"] = asset.type
  if (coding !== undefined) headers["content-encoding"] = coding
  const [from, to] = asset[coding ?? "gzip"]
  const packed = new Uint8Array(await file.slice(pack.begin + from, pack.begin + to).arrayBuffer())
  const bytes = coding === undefined ? new Uint8Array(gunzipSync(packed)) : packed
  if (request.method === "HEAD")
    return new Response(null, { headers: { ...headers, "content-length": String(bytes.length) } })
  return answerOf(
    onePiece(`${name} ${coding}`, () => bytes),
    { request, stalled, headers },
  )
}

async function open(): Promise<{ file: Bun.BunFile; pack: Pack }> {
  const file = Bun.file(await place())
  const head = new DataView(await file.slice(0, 4).arrayBuffer()).getUint32(0)
  const assets = JSON.parse(await file.slice(4, 4 + head).text()) as Record<string, Asset>
  return { file, pack: { begin: 4 + head, assets } }
}

/** Inside the executable; from source, what was built beside it. */
async function place(): Promise<string> {
  try {
    return (await import("@sandbox-agent/inspector/pack", { with: { type: "file" } })).default
  } catch (error) {
    throw new SandboxAgentError("unavailable", "the inspector is not built", {
      hint: "Run `npm run page` in the repository.",
      cause: String(error),
    })
  }
}
