import type { SkillSource } from "@sandbox-agent/schema/config"
import { type ConfigLimits, configLimits } from "@sandbox-agent/schema/config-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { realPath } from "../../files/confinement.ts"
import type { Context } from "../context.ts"
import type { Exit } from "../driver-sink.ts"
import { type GitAddress, gitAddress } from "./git-address.ts"

/**
 * Puts one commit of a repository into `tree`, without its history. It runs as agents do; nothing of the repository is
 * run: no hooks, no submodules, no filters of large files; links become plain files with their target as text.
 */
export async function fetchTree(
  context: Pick<Context, "files" | "supervisor">,
  source: SkillSource,
  folder: string,
  tree: string,
  bounds: ConfigLimits = configLimits,
): Promise<void> {
  const address = gitAddress(source)
  if (address.path !== undefined) context.files.assert(await realPath(address.path), address.path)
  const deadline = AbortSignal.timeout(bounds.fetchMs)
  const git = (words: string[], onLine?: (line: string) => void) =>
    runGit(context, { words: [...flags(address), ...words], folder, onLine, deadline, bounds, url: address.url })
  await git(["init", "-q", "--template=", tree])
  const ref = source.ref ?? "HEAD"
  await git(["-C", tree, "fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", address.url, ref])
  const within = source.subpath ?? "."
  let [files, bytes] = [0, 0]
  await git(["-C", tree, "ls-tree", "-r", "-l", "FETCH_HEAD", "--", ...(within === "." ? [] : [within])], (line) => {
    files++
    bytes += Number(/^\d+ \w+ \w+ +(\d+)\t/.exec(line)?.[1] ?? 0)
    const limit = files > bounds.treeFiles ? bounds.treeFiles : bytes > bounds.treeBytes ? bounds.treeBytes : undefined
    if (limit !== undefined) throw tooLarge(address.url, limit)
  })
  if (files === 0) throw new SandboxAgentError("invalid_request", `${address.url} has nothing at ${within}`)
  await git(["-C", tree, "checkout", "-q", "-f", "FETCH_HEAD", "--", within])
}

const tooLarge = (url: string, limit: number): SandboxAgentError =>
  new SandboxAgentError("payload_too_large", `${url} has more than a source of skills may (${limit})`, {
    limit,
    hint: "Name the part that has the skills with subpath.",
  })

const flags = ({ protocol }: GitAddress): string[] => [
  "--literal-pathspecs",
  ...[
    "protocol.allow=never",
    `protocol.${protocol}.allow=always`,
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=false",
    "submodule.recurse=false",
    "filter.lfs.smudge=",
    "filter.lfs.process=",
    "filter.lfs.required=false",
    "gc.auto=0",
    "maintenance.auto=false",
  ].flatMap((setting) => ["-c", setting]),
]

interface GitRun {
  words: string[]
  folder: string
  onLine?: ((line: string) => void) | undefined
  deadline: AbortSignal
  bounds: ConfigLimits
  url: string
}

/** The largest file that it may write is a limit of its process; what is thrown for a line ends it. */
async function runGit({ supervisor }: Pick<Context, "supervisor">, run: GitRun): Promise<void> {
  const { words, folder, onLine, deadline, bounds } = run
  const { promise, resolve } = Promise.withResolvers<Exit>()
  let refused: unknown
  const child = supervisor.spawn({
    owner: "config",
    label: "git",
    command: ["/bin/sh", "-c", 'ulimit -f "$0"; exec git "$@"', String(Math.ceil(bounds.packBytes / 512)), ...words],
    directory: folder,
    // Nobody is there to be asked for a password.
    env: { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "true", SSH_ASKPASS_REQUIRE: "never", GIT_LFS_SKIP_SMUDGE: "1" },
    onLine: (line) => {
      if (refused !== undefined) return
      try {
        onLine?.(line)
      } catch (error) {
        refused = error
        void child.kill()
      }
    },
    onExit: resolve,
  })
  child.endInput()
  const late = () => void child.kill()
  deadline.addEventListener("abort", late, { once: true })
  if (deadline.aborted) late()
  const exit = await promise
  deadline.removeEventListener("abort", late)
  if (refused !== undefined) throw refused
  if (exit.code === 0) return
  throw failure(exit, run)
}

function failure({ code, signal, stderr }: Exit, { url, deadline, bounds }: GitRun): SandboxAgentError {
  if (deadline.aborted)
    return new SandboxAgentError("unavailable", `${url} was not fetched within ${bounds.fetchMs} ms`)
  if (signal === "SIGXFSZ") return tooLarge(url, bounds.packBytes)
  if (code === 127) return new SandboxAgentError("unavailable", "there is no git to fetch skills with")
  const said = [stderr?.head, stderr?.tail].flat().filter(Boolean).join("\n").trim()
  if (/File too large|signal 25|SIGXFSZ/i.test(said)) return tooLarge(url, bounds.packBytes)
  return new SandboxAgentError(
    "unavailable",
    `${url} was not fetched: ${said.slice(0, 1_000) || `git ended with ${code ?? signal}`}`,
    {
      exitCode: code,
      signal,
      stderr,
      hint: "Fetch it by hand as the user that agents run as to see why, then create the session again.",
    },
  )
}
