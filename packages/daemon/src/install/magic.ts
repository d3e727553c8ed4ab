import { open } from "node:fs/promises"
import type { ArchiveKind } from "./entry.ts"
import { SourceFailure } from "./failure.ts"

/** Says by its first bytes what a download is, and refuses what it should not be: a login page has status 200, too. */
export async function checkMagic(path: string, kind: ArchiveKind): Promise<void> {
  const file = await open(path, "r")
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0)
    const head = buffer.subarray(0, bytesRead)
    if (matches(head, kind)) return
    if (bytesRead === 0) throw new SourceFailure("broken", "the download is empty")
    if (/^\s*(?:<!doctype|<html|<\?xml|<head|<body|<error)/i.test(head.toString("latin1")))
      throw new SourceFailure("broken", "a web page came instead of the file: a proxy or a login stands in between")
    throw new SourceFailure("broken", `the download is not ${names[kind]}`)
  } finally {
    await file.close()
  }
}

const names: Record<ArchiveKind, string> = { raw: "a program", "tar.gz": "a gzip archive", zip: "a zip archive" }

function matches(head: Buffer, kind: ArchiveKind): boolean {
  if (kind === "tar.gz") return head[0] === 0x1f && head[1] === 0x8b
  if (kind === "zip") return head.subarray(0, 4).toString("latin1") === "PK\x03\x04"
  return isProgram(head)
}

/** ELF, Mach-O of one or of several architectures, or a script with its interpreter. */
export function isProgram(head: Buffer): boolean {
  const four = head.length >= 4 ? head.readUInt32BE(0) : 0
  const machO = [0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe]
  return four === 0x7f454c46 || machO.includes(four) || head.subarray(0, 2).toString("latin1") === "#!"
}
