import type { Host } from "../core/driver.ts"
import { type AttemptHost, attemptsOf, type InstallAttempt, installBy } from "./attempt.ts"
import type { AgentEntry, SourceName } from "./entry.ts"
import { failureOf, installFailed, SourceFailure, type Tried, triedText } from "./failure.ts"
import type { ManagedFolder, ManagedInstall } from "./managed.ts"
import { notSupported } from "./version.ts"

export interface MakeOptions {
  entry: AgentEntry
  managed: ManagedFolder
  /** Exact, or the newest there is. */
  version: string | undefined
  /** Set for a reinstall: what was installed before this time does not count. */
  newerThan: string | undefined
  /** Any folder of ours, to ask the registry from. */
  directory: string
  sources: readonly SourceName[]
  host: AttemptHost
  log: Host["log"]
}

export interface MadeInstall {
  made: ManagedInstall
  /** What failed before it. */
  notes: string[]
}

/**
 * Goes through the sources until one delivers. Without a version first for the newest, then for the one our drivers
 * were proved with: a mirror may hold the newest only in part, and the newest may be one that no driver of ours can
 * speak to.
 */
export async function makeInstall(options: MakeOptions): Promise<MadeInstall> {
  const { entry, managed, version, newerThan, host } = options
  const tried: Tried[] = []
  const ways = new Set(attemptsOf(entry, options.sources, host, tried))
  for (const round of version === undefined ? ["newest" as const, entry.tested] : [version]) {
    for (const way of ways) {
      const before = tried.length
      const made = await tryAttempt(way, round, options, tried)
      if (made) return { made, notes: notesOf(tried, made, version) }
      const kind = tried[before]?.kind
      if (kind === "offline" || kind === "timeout") ways.delete(way)
    }
    // Nothing newer to be had, and an older one at hand: that is what there is.
    const current = version === undefined && newerThan === undefined ? await managed.current() : undefined
    if (current && notSupported(entry, current.version) === undefined)
      return { made: current, notes: notesOf(tried, current, version) }
  }
  throw installFailed(entry, tried)
}

/** Who asked for the newest and has another one, or has it from elsewhere, is told why. */
function notesOf(tried: readonly Tried[], { version }: ManagedInstall, asked: string | undefined): string[] {
  const failed = tried.map(triedText)
  const isOther = asked === undefined && tried.some(({ what }) => !what.endsWith(` ${version}`))
  return isOther ? [`the newest could not be installed; this is ${version}`, ...failed] : failed
}

async function tryAttempt(
  way: InstallAttempt,
  round: string,
  { entry, managed, newerThan, directory, host, log }: MakeOptions,
  tried: Tried[],
): Promise<ManagedInstall | undefined> {
  const { source, name } = way
  if (round === "newest" && !way.latest) return undefined
  let what = `${name} ${round}`
  try {
    host.report({ phase: "resolve", bytes: 0, source, message: what })
    const exact = round === "newest" ? await way.latest?.(directory) : round
    if (exact === undefined) return undefined
    what = `${name} ${exact}`
    const refused = notSupported(entry, exact)
    if (refused !== undefined) throw new SourceFailure("unsupported", refused)
    // Whoever held the lock before us may have done the work.
    const there = await managed.ofVersion(exact)
    if (there && (newerThan === undefined || there.installedAt >= newerThan)) return there
    return await installBy(way, exact, entry, managed, host)
  } catch (error) {
    host.signal.throwIfAborted()
    const { kind, message } = failureOf(error, what)
    log("warn", "a source of an agent failed", { agent: entry.agent, source, what, error: message })
    tried.push({ source, what, kind, error: message })
    return undefined
  }
}
