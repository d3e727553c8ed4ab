import type { Installation } from "./driver.ts"

/** Where an install stands. */
export interface InstallProgress {
  phase: string
  bytes: number
  total?: number
  source?: string
  message?: string
}

export type OnInstallProgress = (progress: InstallProgress) => void

export interface InstallOptions {
  /** Exact; without one the newest. */
  version?: string
  /** Downloads also what is there. */
  reinstall?: boolean
}

/** A program and how to start it; the flags of the agent follow `command`. */
export interface Program extends Installation {
  command?: string[]
  env?: Record<string, string>
}

/** For whoever starts the program right away: one that is slow to tell its version is not waited for. */
export type Haste = "at_once"

/** Where the program of one agent comes from; given to its driver. */
export interface Programs {
  /** Cheap enough for every request. With a version: that one, or not installed. */
  locate(version?: string, haste?: Haste): Promise<Program>
  install(options: InstallOptions, onProgress?: OnInstallProgress): Promise<Program>
  /** What is there, else an install. Never an upgrade. */
  ensure(version?: string, onProgress?: OnInstallProgress): Promise<Program>
}
