import type { SandboxAddress } from "./sandbox.ts"

export interface Ran {
  exitCode: number
  /** What it wrote to both, the end of it. */
  output: string
}

/** A sandbox that runs, as its provider shows it. What fails rejects with whatever the provider says. */
export interface Machine {
  readonly id: string
  /** A line for the shell, to its end. */
  run(command: string, signal: AbortSignal): Promise<Ran>
  write(path: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void>
  /** A line for the shell that goes on when this has returned. */
  start(command: string, env: Record<string, string>, signal: AbortSignal): Promise<void>
  address(port: number, signal: AbortSignal): Promise<SandboxAddress>
  /** Gives back what this program holds of it; it goes on. */
  leave?(): Promise<void>
  /** Nothing to do when it is gone. */
  remove(signal: AbortSignal): Promise<void>
}

/** What a provider's own errors mean. */
export interface Vendor {
  readonly name: string
  /** A code and words for an error that is none of ours. */
  explain(error: unknown): { code: "unauthorized" | "not_found" | "provider"; message: string }
  /** What the provider was asked to make is waited for, whatever the signal says: only then can it be removed. */
  make(signal: AbortSignal): Promise<Machine>
  find(id: string, signal: AbortSignal): Promise<Machine>
}
