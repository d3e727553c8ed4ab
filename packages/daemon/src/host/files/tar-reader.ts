import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { type BytePath, ofBuffer } from "./byte-path.ts"
import { type ByteSource, cutOff } from "./byte-source.ts"
import { BLOCK, broken, padding, readHeader, type TarHeader } from "./tar-header.ts"
import { type Pax, readPax } from "./tar-pax.ts"
import { lengthOf, oldSparseMap, paxSparseMap, type SparseMap } from "./tar-sparse.ts"

export interface TarEntry {
  path: BytePath
  type: "file" | "directory" | "symlink" | "link" | "other"
  mode: number
  /** Seconds since 1970. */
  mtime: number
  target: BytePath
  /** Bytes of it that are in the archive. */
  size: number
  /** Where they belong, of a file with holes. */
  sparse: SparseMap | undefined
}

const types: Readonly<Record<string, TarEntry["type"]>> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  S: "file",
  "1": "link",
  "2": "symlink",
  "5": "directory",
}

/** The entries of an archive, one after the other; of each the bytes have to be taken, or are passed over. */
export async function* tarEntries(source: ByteSource): AsyncGenerator<TarEntry> {
  let global: Pax = {}
  let local: Pax = {}
  let any = false
  for (;;) {
    const block = await source.exactly(BLOCK)
    if (block === undefined) {
      if (!any) throw broken("it is empty")
      return
    }
    const header = readHeader(block)
    if (header === undefined) return
    any = true
    if (header.type === "x" || header.type === "g") {
      const found = readPax(await metadata(source, header))
      if (header.type === "g") global = { ...global, ...found }
      else local = { ...local, ...found }
    } else if (header.type === "L" || header.type === "K") {
      const name = ofBuffer(await metadata(source, header)).replace(/\0.*$/s, "")
      local = { ...local, [header.type === "L" ? "path" : "linkpath"]: name }
    } else {
      const entry = await entryOf(source, header, block, { ...global, ...local })
      local = {}
      const end = source.taken + entry.size
      yield entry
      await source.skip(end - source.taken + padding(isLink(header) ? 0 : header.size))
    }
  }
}

const isLink = ({ type }: TarHeader): boolean => type === "1" || type === "2"

/** What stands in front of an entry and says more of it. */
async function metadata(source: ByteSource, { size }: TarHeader): Promise<Uint8Array> {
  if (size > fileLimits.archiveHeaderBytes)
    throw broken(`a header is larger than ${fileLimits.archiveHeaderBytes} bytes`)
  const bytes = size === 0 ? new Uint8Array(0) : await source.exactly(size)
  if (bytes === undefined) throw cutOff()
  const kept = bytes.slice()
  await source.skip(padding(size))
  return kept
}

async function entryOf(source: ByteSource, header: TarHeader, block: Uint8Array, pax: Pax): Promise<TarEntry> {
  const size = pax.size ?? header.size
  header.size = size
  const before = source.taken
  const sparse = header.type === "S" ? await oldSparseMap(source, block) : await paxSparseMap(source, pax, size)
  // A map in front of the bytes counts as a part of them where pax has it, and not where GNU had it first.
  const left = header.type === "S" ? size : size - (source.taken - before)
  if (sparse !== undefined && lengthOf(sparse) > left) throw broken("a sparse map has more than its file")
  const name = pax["GNU.sparse.name"] ?? pax.path ?? header.name
  const isFolder = header.type === "5" || (name.endsWith("/") && (types[header.type] ?? "other") === "file")
  return {
    path: name,
    type: isFolder ? "directory" : (types[header.type] ?? "other"),
    mode: header.mode,
    mtime: pax.mtime ?? header.mtime,
    target: pax.linkpath ?? header.target,
    // A link has no bytes of its own, whatever is said.
    size: isLink(header) ? 0 : left,
    sparse,
  }
}
