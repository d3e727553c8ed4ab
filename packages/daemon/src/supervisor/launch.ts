import { existsSync, statSync } from "node:fs"
import { delimiter, resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Subprocess, TerminalOptions } from "bun"
import type { Launcher } from "./launch-as.ts"

export type Launched = Subprocess<"pipe", "pipe", "pipe">

export type LaunchedTerminal = Pick<Subprocess, "pid" | "exited" | "exitCode" | "signalCode" | "terminal">

interface Common {
  cwd: string
  env: Record<string, string | undefined>
  detached: true
  uid?: number
  gid?: number
}

export interface LaunchOptions {
  label: string
  command: readonly string[]
  directory: string
  env: Record<string, string | undefined>
  /** How to become the user it shall run as; without, it runs as ours. */
  as?: Launcher | undefined
}

/** Starts a program in a session of its own, which makes it the leader of its process group. */
export function launch(options: LaunchOptions): Launched {
  const pipes = { stdin: "pipe", stdout: "pipe", stderr: "pipe" } as const
  return started(options, (words, common) => Bun.spawn(words, { ...common, ...pipes }))
}

/** The same with a terminal that is its controlling one. */
export function launchTerminal(options: LaunchOptions, terminal: TerminalOptions): LaunchedTerminal {
  return started(options, (words, common) => Bun.spawn(words, { ...common, terminal }))
}

function started<P>(options: LaunchOptions, spawn: (words: string[], common: Common) => P): P {
  const { label, command, directory, env, as } = options
  const [program] = command
  if (!program) throw new SandboxAgentError("agent_process_exited", `${label} has no command`)
  if (!isDirectory(directory)) {
    throw new SandboxAgentError("agent_process_exited", `${label} cannot start: ${directory} is not a directory`)
  }
  try {
    // `detached` is setsid; everything else of ours is closed on exec.
    return spawn(as?.words(command) ?? [...command], { cwd: directory, env, detached: true, ...as?.ids })
  } catch (error) {
    throw explain(error, program, options)
  }
}

function explain(error: unknown, program: string, { label, directory, env }: LaunchOptions): SandboxAgentError {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
  const exists = isPresent(program, directory, env.PATH ?? "")
  if (code === "ENOENT" && !exists) {
    return new SandboxAgentError("agent_not_installed", `${label} cannot start: there is no program ${program}`)
  }
  const why = code === "ENOENT" ? `the interpreter named in ${program} is missing` : (reasons[code] ?? code)
  return new SandboxAgentError("agent_process_exited", `${label} cannot start: ${why} (${program})`)
}

const reasons: Record<string, string> = {
  EACCES: "the file is not executable for this user",
  ENOEXEC: "the file is neither a program of this machine nor a script with an interpreter line",
  E2BIG: "its arguments and environment are too large",
  EMFILE: "the daemon has too many open files",
  ENFILE: "the machine has too many open files",
  EAGAIN: "the machine allows no more processes",
  ENOMEM: "the machine has no memory left",
}

function isPresent(program: string, directory: string, path: string): boolean {
  if (program.includes("/")) return existsSync(resolve(directory, program))
  return path.split(delimiter).some((folder) => folder !== "" && existsSync(resolve(folder, program)))
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
