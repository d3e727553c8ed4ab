import type { FileHandle } from "node:fs/promises"

/** A disk with little room takes a part of a piece, and says so by the count alone. */
export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
}
