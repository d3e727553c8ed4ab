import { SandboxAgentError } from "../errors.ts"
import type { LocalSource } from "./local-source.ts"

const nowhere = () => Promise.reject(new SandboxAgentError("argument", "There are no paths here: give the files"))

/** Where there are no files. */
export const openLocal = (_: string): Promise<LocalSource> => nowhere()
export const saveFile = (_: string, __: ReadableStream<Uint8Array>, ___: number): Promise<void> => nowhere()
export const saveFolder = (_: string, __: ReadableStream<Uint8Array>): Promise<void> => nowhere()
