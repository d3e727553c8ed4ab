import { chmod, mkdir, rename, rm } from "node:fs/promises"
import { basename, join } from "node:path"
import { downloadTo } from "./download.ts"
import type { ArchiveKind, VendorLayout, VendorSource } from "./entry.ts"
import { SourceFailure, scrub } from "./failure.ts"
import { checkMagic } from "./magic.ts"
import type { UnpackedProgram } from "./npm.ts"
import { type Platform, pickPlatform, platformKeys, platformName } from "./platform.ts"
import type { OnProgress } from "./progress.ts"
import { addressOf, baseOf, tagOf, type VendorHost, vendorDigest } from "./release.ts"
import { untar } from "./tar.ts"
import { UnpackedFolder } from "./unpacked.ts"
import { unzip } from "./zip.ts"

/** The vendor's word for this machine, or what it has instead. */
export function vendorPlatform({ layouts }: VendorSource, platform: Platform): string {
  const words = layouts.map((layout) => pickPlatform(layout.platforms, platform)).filter((word) => word !== undefined)
  if (words[0] !== undefined) return words[0]
  const builds = [...new Set(layouts.flatMap((layout) => Object.keys(layout.platforms)))].join(", ")
  throw new SourceFailure("platform", `no build for ${platformName(platform)}; there are builds for ${builds}`)
}

/** Takes the vendor's own build into `directory`: download, digest, kind of file, unpack. */
export async function vendorInstall(
  source: VendorSource,
  version: string,
  platform: Platform,
  directory: string,
  host: VendorHost,
  report: OnProgress,
): Promise<UnpackedProgram> {
  let missing: SourceFailure | undefined
  for (const layout of source.layouts) {
    try {
      return await take(source, layout, version, platform, directory, host, report)
    } catch (error) {
      // An older version lies in an older layout.
      if (!(error instanceof SourceFailure) || error.kind !== "missing") throw error
      missing = error
      await rm(directory, { recursive: true, force: true })
    }
  }
  throw missing ?? new SourceFailure("missing", "the vendor has no download")
}

async function take(
  source: VendorSource,
  layout: VendorLayout,
  version: string,
  platform: Platform,
  directory: string,
  host: VendorHost,
  report: OnProgress,
): Promise<UnpackedProgram> {
  const word = pickPlatform(layout.platforms, platform)
  if (word === undefined) throw new SourceFailure("missing", `no build for ${platformName(platform)} in this layout`)
  const tag = tagOf(source, version)
  const fill = (text: string) =>
    text.replaceAll("{version}", version).replaceAll("{tag}", encodeURIComponent(tag)).replaceAll("{platform}", word)
  const key = platformKeys(platform).find((name) => layout.platforms[name] !== undefined) ?? ""
  const { archive, path } = layout.archiveOf?.[key] ?? layout
  const base = baseOf(source, host)
  const url = addressOf(base, fill(path))

  await mkdir(directory, { recursive: true })
  const file = join(directory, ".download")
  report({ phase: "download", bytes: 0, source: "vendor", message: scrub(url) })
  const onBytes = (bytes: number, total?: number) => report({ phase: "download", bytes, total, source: "vendor" })
  const actual = await downloadTo(file, url, { ...host, onBytes })

  report({ phase: "verify", bytes: 0, source: "vendor" })
  // First: of a login page nobody wants to read that its digest is wrong.
  await checkMagic(file, archive)
  const { digest } = layout
  const digestPath = digest && "path" in digest ? fill(digest.path) : ""
  const named = { name: basename(fill(path)), tag, platform: word, base, path: digestPath }
  const expected = digest && (await vendorDigest(digest, named, host))
  if (expected !== undefined && expected !== actual)
    throw new SourceFailure("integrity", `${url}: its SHA-256 is ${actual}, the vendor tells ${expected}`)

  const program = fill(layout.program)
  await unpack(archive, file, directory, program, host, report)
  if (!(await Bun.file(join(directory, program)).exists()))
    throw new SourceFailure("broken", `${url}: has no ${program} inside`)
  await chmod(join(directory, program), 0o755)
  return { program, runtime: "native", digest: `sha256-${actual}`, origin: scrub(url) }
}

async function unpack(
  kind: ArchiveKind,
  file: string,
  directory: string,
  program: string,
  host: VendorHost,
  report: OnProgress,
): Promise<void> {
  if (kind === "raw") return rename(file, join(directory, program))
  report({ phase: "unpack", bytes: 0, source: "vendor" })
  const folder = new UnpackedFolder(directory, host.bounds)
  if (kind === "zip") await unzip(file, folder)
  else await untar(file, folder, (bytes) => report({ phase: "unpack", bytes, source: "vendor" }))
  await rm(file)
}
