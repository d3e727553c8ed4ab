import { type ErrorCode, SandboxAgentError } from "@sandbox-agent/schema/error"
import { type BytePath, toText } from "./byte-path.ts"

const said: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ["not_found", "does not exist"],
  ENOTDIR: ["not_found", "is no folder, or has something in front of it that is none"],
  EACCES: ["permission_denied", "is closed to the user of this daemon"],
  EPERM: ["permission_denied", "may not be changed by the user of this daemon"],
  EROFS: ["permission_denied", "is on a file system that can only be read"],
  EEXIST: ["conflict", "exists already"],
  ENOTEMPTY: ["conflict", "is a folder that is not empty"],
  EBUSY: ["conflict", "is in use by the system"],
  ETXTBSY: ["conflict", "is a program that runs"],
  EISDIR: ["conflict", "is a folder"],
  ENOSPC: ["insufficient_storage", "cannot be written: the disk is full"],
  EDQUOT: ["insufficient_storage", "cannot be written: the quota is used up"],
  EFBIG: ["payload_too_large", "would be larger than its file system takes"],
  ENAMETOOLONG: ["invalid_request", "is too long a name"],
  ELOOP: ["invalid_request", "leads through too many symbolic links"],
  EINVAL: ["invalid_request", "cannot be used so (EINVAL)"],
  EMFILE: ["unavailable", "cannot be opened: too many files are open"],
  ENFILE: ["unavailable", "cannot be opened: too many files are open"],
  EMLINK: ["conflict", "has as many links as its file system takes"],
  EIO: ["unavailable", "cannot be used: the disk reports an error"],
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** What the system says, in the words of the product. What it did not say is left as it is. */
export function systemError(path: BytePath, error: unknown): unknown {
  const code = codeOf(error)
  if (SandboxAgentError.is(error) || code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error
  const [ours, words] = said[code] ?? ["invalid_request", `cannot be used (${code})`]
  return new SandboxAgentError(ours, `${toText(path)} ${words}`, { path: toText(path) })
}

/** Waits for work on a path, and tells its failures in our words. */
export async function on<T>(path: BytePath, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw systemError(path, error)
  }
}
