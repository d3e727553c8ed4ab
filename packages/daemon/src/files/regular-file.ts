import { constants } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Confinement } from "./confinement.ts"
import { isOfKernel, pathOfOpened } from "./opened-path.ts"
import { assertReach } from "./reach.ts"

/**
 * Opens a file that somebody else named. Only a plain file is opened, never a pipe, a device or a file of the kernel,
 * and what was opened is looked at, not what was named: the two may differ by then.
 */
export async function openRegular(path: string, confinement: Confinement): Promise<FileHandle> {
  // Opening a device can do something by itself; this look is only to spare it that.
  const found = await stat(path).catch((error: unknown) => missing(path, error))
  if (!found.isFile()) throw notRegular(path)
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) =>
    missing(path, error),
  )
  try {
    await assertRegular(handle, path, confinement)
    await assertReach(confinement.reader, handle, await pathOfOpened(handle, path), "read")
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

export async function assertRegular(handle: FileHandle, path: string, confinement: Confinement): Promise<void> {
  confinement.assert(await pathOfOpened(handle, path), path)
  if (!(await handle.stat()).isFile() || (await isOfKernel(handle))) throw notRegular(path)
}

/** The whole file, if it has no more than `limit` bytes: counted while they come, for what is said before can be wrong. */
export async function readRegular(path: string, limit: number, confinement: Confinement): Promise<Buffer> {
  const handle = await openRegular(path, confinement)
  try {
    return await readAll(handle, path, limit)
  } finally {
    await handle.close()
  }
}

/** `undefined`: it is not there, not plain or too large. */
export async function readIfRegular(
  path: string,
  limit: number,
  confinement: Confinement,
): Promise<Buffer | undefined> {
  try {
    return await readRegular(path, limit, confinement)
  } catch (error) {
    if (SandboxAgentError.is(error)) return undefined
    throw error
  }
}

/** The bytes from `start` on, at most the last `limit` of them; where they begin. */
export async function readRegularFrom(
  path: string,
  start: number,
  limit: number,
  confinement: Confinement,
): Promise<{ start: number; bytes: Buffer } | undefined> {
  const handle = await openRegular(path, confinement).catch((error: unknown) => {
    if (SandboxAgentError.is(error)) return undefined
    throw error
  })
  if (handle === undefined) return undefined
  try {
    const { size } = await handle.stat()
    const from = Math.max(start, size - limit)
    if (from >= size) return { start: from, bytes: Buffer.alloc(0) }
    const bytes = Buffer.allocUnsafe(size - from)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from)
    return { start: from, bytes: bytes.subarray(0, bytesRead) }
  } finally {
    await handle.close()
  }
}

async function readAll(handle: FileHandle, path: string, limit: number): Promise<Buffer> {
  const { size } = await handle.stat()
  if (size > limit) throw tooLarge(path, limit)
  // One byte more than is said to be there shows the end of the file in the same call.
  let bytes = Buffer.allocUnsafe(size + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length)
    if (bytesRead === 0) return bytes.subarray(0, length)
    length += bytesRead
    if (length > limit) throw tooLarge(path, limit)
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length, limit) + 1)
  }
}

/** As the system says it, in the words of the product. */
export function missing(path: string, error: unknown): never {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
  if (code === "ENOENT" || code === "ENOTDIR") throw new SandboxAgentError("not_found", `${path} does not exist`)
  if (code === "EACCES" || code === "EPERM")
    throw new SandboxAgentError("permission_denied", `${path} cannot be opened by the user of this daemon`)
  throw new SandboxAgentError("invalid_request", `${path} cannot be opened (${code})`)
}

export const notRegular = (path: string): SandboxAgentError =>
  new SandboxAgentError("invalid_request", `${path} is not a regular file`)

export const tooLarge = (path: string, limit: number): SandboxAgentError =>
  new SandboxAgentError("payload_too_large", `${path} is larger than ${limit} bytes`, { limit })
