import { isExactVersion } from "@sandbox-agent/schema/exact-version"
import { parseOfClient } from "@sandbox-agent/schema/json-depth"
import { type DownloadOptions, downloadText, redirectOf } from "./download.ts"
import type { Bases, VendorDigest, VendorSource } from "./entry.ts"
import { SourceFailure } from "./failure.ts"

export interface VendorHost extends DownloadOptions {
  bases: Bases
}

/** Of a path that is a whole address the base is no part. */
export const addressOf = (base: string, path: string): string =>
  /^https?:\/\//.test(path) ? path : `${base.replace(/\/+$/, "")}/${path}`

export const baseOf = ({ base }: VendorSource, { bases }: VendorHost): string =>
  base === undefined ? "" : (bases[base] ?? "")

export async function vendorLatest(source: VendorSource, host: VendorHost): Promise<string> {
  const { latest } = source
  if (latest.kind === "fixed") return latest.version
  if (latest.kind === "text") {
    const url = addressOf(baseOf(source, host), latest.path)
    return checked((await downloadText(url, host)).trim(), url)
  }
  const { repository, tagPrefix } = latest
  const page = addressOf(host.bases.github, `${repository}/releases/latest`)
  // The page's redirect names the tag and, unlike the API, is not rationed.
  const tag = (await redirectOf(page, host))?.split("/releases/tag/")[1]
  if (tag !== undefined) return checked(withoutPrefix(decodeURIComponent(tag), tagPrefix), page)
  const url = addressOf(host.bases.githubApi, `repos/${repository}/releases/latest`)
  const { tag_name } = parse(await downloadText(url, host), url) as { tag_name?: unknown }
  return checked(withoutPrefix(String(tag_name), tagPrefix), url)
}

export function tagOf({ latest }: VendorSource, version: string): string {
  return latest.kind === "github" ? `${latest.tagPrefix}${version}` : version
}

/** The SHA-256 the vendor tells for a file; undefined where it tells none for this version. */
export async function vendorDigest(
  digest: VendorDigest,
  file: { name: string; tag: string; platform: string; base: string; path: string },
  host: VendorHost,
): Promise<string | undefined> {
  try {
    return await digestFrom(digest, file, host)
  } catch (error) {
    // Older versions have none, and GitHub's API rations strangers: the download's own digest is still recorded.
    if (error instanceof SourceFailure && (error.kind === "missing" || digest.kind === "github")) return undefined
    throw error
  }
}

async function digestFrom(
  digest: VendorDigest,
  { name, tag, platform, base, path }: { name: string; tag: string; platform: string; base: string; path: string },
  host: VendorHost,
): Promise<string | undefined> {
  if (digest.kind === "github") {
    const url = addressOf(host.bases.githubApi, `repos/${digest.repository}/releases/tags/${tag}`)
    const { assets } = parse(await downloadText(url, host), url) as { assets?: { name?: string; digest?: string }[] }
    return hex(assets?.find((asset) => asset.name === name)?.digest?.replace(/^sha256:/, ""))
  }
  const url = addressOf(base, path)
  const text = await downloadText(url, host)
  if (digest.kind === "manifest") {
    const { platforms } = parse(text, url) as { platforms?: Record<string, { checksum?: string }> }
    const found = hex(platforms?.[platform]?.checksum)
    if (found) return found
    throw new SourceFailure("platform", `${url}: names no build for ${platform}`)
  }
  const lines = text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+\*?/))
  const found = hex(
    (lines.length === 1 && lines[0]?.length === 1 ? lines[0] : lines.find((line) => line[1] === name))?.[0],
  )
  // One line may name the file as it was called on the vendor's machine.
  const only = lines.length === 1 ? hex(lines[0]?.[0]) : undefined
  if (found ?? only) return found ?? only
  throw new SourceFailure("integrity", `${url}: tells no digest of ${name}`)
}

const hex = (text: string | undefined): string | undefined =>
  text !== undefined && /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined

const withoutPrefix = (tag: string, prefix: string): string => (tag.startsWith(prefix) ? tag.slice(prefix.length) : tag)

function checked(version: string, url: string): string {
  if (isExactVersion(version)) return version
  throw new SourceFailure("broken", `${url}: tells no version (${JSON.stringify(version.slice(0, 40))})`)
}

function parse(text: string, url: string): unknown {
  try {
    return parseOfClient(text)
  } catch {
    throw new SourceFailure("broken", `${url}: is not JSON`)
  }
}
