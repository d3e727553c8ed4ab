import { SandboxError } from "../errors.ts"
import { randomId } from "../random-id.ts"
import { shellWord } from "../shell-word.gen.ts"
import type { Machine } from "./machine.ts"
import type { SandboxOptions } from "./sandbox.ts"

/** What a program in the sandbox has to be made for. */
export interface Platform {
  arch: "x64" | "arm64"
  isMusl: boolean
}

interface Seen extends Partial<Platform> {
  /** Where the daemon is, if it is there. */
  daemon?: string
  /** As the sandbox says it. */
  system: string
  home: string
}

const looking = [
  'p=$(command -v sandbox-agent) || p="$HOME/.local/bin/sandbox-agent"',
  '[ -x "$p" ] && echo "daemon $p"',
  'echo "system $(uname -s) $(uname -m)"',
  'echo "home $HOME"',
  'for l in /lib/ld-musl-*; do [ -e "$l" ] && echo "musl $l"; done',
  "true",
].join("\n")

/** The path of the daemon in the sandbox: found there, installed there, or sent there. */
export async function putDaemon(
  provider: string,
  machine: Machine,
  { install, binaryPath }: SandboxOptions,
  outputChars: number,
  signal: AbortSignal,
): Promise<string> {
  const seen = await lookAround(machine, signal)
  if (seen.daemon !== undefined && binaryPath === undefined) return seen.daemon
  if (install === undefined || binaryPath !== undefined) return sendDaemon(provider, machine, seen, binaryPath, signal)
  const { exitCode, output } = await machine.run(install, signal)
  const { daemon } = await lookAround(machine, signal)
  if (exitCode === 0 && daemon !== undefined) return daemon
  const how = exitCode === 0 ? "left no sandbox-agent on PATH" : `exited with ${exitCode}`
  throw new SandboxError(provider, "daemon_missing", `The command of \`install\` ${how}: ${endOf(output, outputChars)}`)
}

async function lookAround(machine: Machine, signal: AbortSignal): Promise<Seen> {
  const { exitCode, output } = await machine.run(looking, signal)
  if (exitCode !== 0) throw new Error(output.trim() || `a shell exited with ${exitCode}`)
  const told = new Map(output.split("\n").map((line) => [line.split(" ", 1)[0], line.slice(line.indexOf(" ") + 1)]))
  const system = told.get("system") ?? "unknown"
  const arch = { x86_64: "x64", amd64: "x64", aarch64: "arm64", arm64: "arm64" } as const
  return {
    daemon: told.get("daemon"),
    system,
    arch: arch[(system.split(" ")[1] ?? "") as keyof typeof arch],
    isMusl: told.has("musl"),
    home: told.get("home") || "/tmp",
  }
}

async function sendDaemon(
  provider: string,
  machine: Machine,
  { arch, isMusl = false, system, home }: Seen,
  binaryPath: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (!system.startsWith("Linux") || arch === undefined)
    throw new SandboxError(provider, "daemon_missing", `There is no daemon for ${system}`)
  // Loaded when it is asked for: a Worker has no files, and gets a module that says so.
  const { packedExecutable } = await import("#linux-executable")
  const bytes = await packedExecutable({ arch, isMusl }, binaryPath).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    throw new SandboxError(provider, "daemon_missing", `The sandbox has no sandbox-agent, and none can be sent: ${why}`)
  })
  const packed = `/tmp/${randomId("sandbox-agent")}.gz`
  await machine.write(packed, bytes, signal)
  const folder = `${home}/.local/bin`
  const [to, fresh] = [`${folder}/sandbox-agent`, `${folder}/.sandbox-agent-new`].map(shellWord)
  const steps = [
    `mkdir -p ${shellWord(folder)}`,
    `gunzip -c ${packed} >${fresh}`,
    `rm ${packed}`,
    `chmod 755 ${fresh}`,
    `mv ${fresh} ${to}`,
  ]
  const { exitCode, output } = await machine.run(steps.join(" && "), signal)
  if (exitCode === 0) return `${folder}/sandbox-agent`
  throw new SandboxError(provider, "daemon_missing", `The executable could not be unpacked: ${output.trim()}`)
}

/** What a program said last is mostly why it ended. */
export const endOf = (output: string, chars: number): string => output.trim().slice(-Math.max(1, chars))
