import { closeSync, openSync, readFileSync, readSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { constants, gzip } from "node:zlib"
import { isExecutable, packagedExecutable } from "../embedded/executable.ts"
import { SandboxAgentError } from "../errors.ts"
import type { Platform } from "./daemon.ts"

/** The executable for a sandbox, packed: it is three times smaller on its way. */
export async function packedExecutable(platform: Platform, named?: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await promisify(gzip)(readFileSync(executableFor(platform, named)), { level: constants.Z_BEST_SPEED })
  return new Uint8Array(packed)
}

function executableFor({ arch, isMusl }: Platform, named: string | undefined): string {
  const { SANDBOX_AGENT_BIN: fromEnvironment, PATH = "" } = process.env
  if (named !== undefined) {
    if (isExecutable(named) && runsOnLinux(named, arch)) return named
    throw new SandboxAgentError("argument", `binaryPath: ${named} is no program for Linux on ${arch}`)
  }
  const pack = `@sandbox-agent/cli-linux-${arch}${isMusl ? "-musl" : ""}`
  const onPath = PATH.split(delimiter).map((folder) => join(folder, "sandbox-agent"))
  const all = [...(fromEnvironment ? [fromEnvironment] : []), ...packagedExecutable(pack), ...onPath]
  const found = all.find((path) => isExecutable(path) && runsOnLinux(path, arch))
  if (found !== undefined) return found
  throw new SandboxAgentError(
    "spawn",
    `no executable for Linux on ${arch} at SANDBOX_AGENT_BIN, in ${pack} or on PATH. Give \`binaryPath\`, \`install\`, or an image that has it`,
  )
}

/** By its first bytes: that of a Mac would be found only in the sandbox to be none. */
function runsOnLinux(path: string, arch: Platform["arch"]): boolean {
  const head = Buffer.alloc(20)
  const file = openSync(path, "r")
  try {
    readSync(file, head, 0, head.length, 0)
  } finally {
    closeSync(file)
  }
  if (head.toString("latin1", 0, 2) === "#!") return true
  return head.toString("latin1", 1, 4) === "ELF" && head.readUInt16LE(18) === (arch === "x64" ? 0x3e : 0xb7)
}
