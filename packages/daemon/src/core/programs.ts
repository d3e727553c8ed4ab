import { SandboxAgentError } from "@sandbox-agent/schema/error"
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

/**
 * How long to wait for a program that is slow to print its version. By default as long as a list of agents may take.
 * `skip`: not at all, for a caller that starts the program anyway. `complete`: until it has answered, for a caller that
 * needs the version.
 */
export type VersionProbeWait = "skip" | "complete"

/** Why an agent cannot log in, and what can be done about it. */
export interface MissingLogin {
  detail: string
  hint: string
}

/** Where the program of one agent comes from; given to its driver. */
export interface Programs {
  /** Cheap enough for every request. With a version: that one, or not installed. */
  locate(version?: string, probeWait?: VersionProbeWait): Promise<Program>
  install(options: InstallOptions, onProgress?: OnInstallProgress): Promise<Program>
  /** What is there, else an install. Never an upgrade. */
  ensure(version?: string, onProgress?: OnInstallProgress): Promise<Program>
  /** What the agent lacks to log in with, in this directory and with these variables beside ours; only where that is certain. */
  missingLogin?(env: Readonly<Record<string, string>>, directory: string): Promise<MissingLogin | undefined>
}

/** What starts the program of an agent, or a typed error that says why nothing does. */
export async function startable(
  programs: Programs,
  { id, name }: { id: string; name: string },
  version?: string,
  probeWait: VersionProbeWait = "skip",
): Promise<{ command: string[]; env: Record<string, string> }> {
  const found = await programs.locate(version, "skip")
  // Known since it was last looked for, as a rule.
  const program =
    found.version === undefined && probeWait !== "skip" ? await programs.locate(version, probeWait) : found
  const { installed, command = [], env = {} } = program
  if (!installed || command.length === 0)
    throw new SandboxAgentError("agent_not_installed", `${name} is not installed`, { agent: id, version })
  assertSupported(id, program)
  return { command, env }
}

/** A version that its driver cannot speak to, found or asked for. */
export class VersionNotSupported extends SandboxAgentError {
  constructor(agent: string, detail: string, context: { hint?: string; option?: string } = {}) {
    super("not_supported", detail, {
      agent,
      ...context,
      hint: context.hint ?? "`detail` names the versions supported; install one with POST /v1/agents/{agent}/install.",
    })
  }
}

export function assertSupported(agent: string, { notSupported }: Installation): void {
  if (notSupported === undefined) return
  const { detail, hint } = notSupported
  throw new VersionNotSupported(agent, detail, { hint })
}
