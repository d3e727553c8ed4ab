import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { asRun, type Snippet } from "./snippets.ts"

/** Between two blocks, on both streams. */
const BETWEEN = "\u0000next\u0000"

/** A daemon in the foreground would hold up what follows: it is ended when it has said where it is. */
const prelude = `set -euo pipefail
served() {
  local line pid
  exec 9< <("$@" 2>&1 & echo $!; wait)
  read -r pid <&9
  while read -r line <&9; do
    if [[ $line == *http://* ]]; then kill "$pid"; wait 2>/dev/null || true; cat <&9 >/dev/null; return 0; fi
    echo "$line" >&2
  done
  echo "it did not serve" >&2
  return 1
}
`

/** A daemon of a page's own is not in the way of the one that runs. */
const scriptOf = (text: string): string =>
  text
    .replaceAll(/--port 2468\b/g, "--port 0")
    .replaceAll(
      /^((?:[A-Z_]+=\S+ )*)sandbox-agent server/gm,
      "$1SANDBOX_AGENT_DATA_DIR=$PWD/.served served sandbox-agent server",
    )

export interface RanBlocks {
  /** What each block printed. */
  printed: string[]
  stderr: string
  status: number | null
}

/** What a page finds: the folder of the executable, and a daemon that runs. */
export interface Machine {
  program: string
  baseUrl: string
  token: string
  data: string
}

const startsDaemon = (blocks: readonly Snippet[]): boolean => blocks.some(({ text }) => text.includes("daemon start"))

/** The blocks of one page in one shell, in their order, as a reader would paste them. */
export async function runBlocks(blocks: readonly Snippet[], machine: Machine): Promise<RanBlocks> {
  const directory = mkdtempSync(join(tmpdir(), "sandbox-agent-page-"))
  const own = startsDaemon(blocks)
  const port = own ? await keptPort() : 0
  const baseUrl = own ? `http://127.0.0.1:${port}` : machine.baseUrl
  const { SANDBOX_AGENT_TOKEN: _, ...others } = process.env
  const env = {
    ...others,
    PATH: `${machine.program}:${process.env.PATH}`,
    SANDBOX_AGENT_URL: baseUrl,
    SANDBOX_AGENT_PORT: `${port}`,
    SANDBOX_AGENT_DATA_DIR: own ? join(directory, ".data") : machine.data,
    ...(own ? {} : { SANDBOX_AGENT_TOKEN: machine.token }),
  }
  const script = join(directory, ".page.sh")
  const parts = blocks.map(({ text }) => scriptOf(asRun(text, baseUrl)))
  const end = own ? "trap 'sandbox-agent daemon stop >&2' EXIT\n" : ""
  writeFileSync(script, prelude + end + parts.join("\nprintf '\\0next\\0'\n"))
  const shell = spawn("bash", [script], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  shell.stdout.on("data", (bytes) => {
    stdout += bytes
  })
  shell.stderr.on("data", (bytes) => {
    stderr += bytes
  })
  const status = await new Promise<number | null>((resolve) => shell.on("close", resolve))
  rmSync(directory, { recursive: true, force: true })
  return { printed: stdout.split(BETWEEN), stderr, status }
}
