import { SandboxAgentError } from "../errors.ts"
import type { Platform } from "./daemon.ts"

/** Where there are no files. */
export const packedExecutable = (_: Platform, __?: string): Promise<Uint8Array<ArrayBuffer>> =>
  Promise.reject(new SandboxAgentError("spawn", "there are no files here. Give `install`, or an image that has it"))
