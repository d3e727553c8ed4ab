import { statSync } from "node:fs"
import { isAbsolute } from "node:path"
import { type Programs, startable, type VersionProbeWait } from "../../core/programs.ts"

/** What starts the program of an agent, before any flag of its driver. */
export interface Launcher {
  command: readonly string[]
  env: Readonly<Record<string, string>>
}

export type FindLauncher = (version?: string) => Promise<Launcher>

/** Asked whenever a process is to be started: the program may have been replaced meanwhile. By default nobody waits for its version. */
export const launcherOf =
  (programs: Programs, agent: { id: string; name: string }, probeWait?: VersionProbeWait): FindLauncher =>
  (version) =>
    startable(programs, agent, version, probeWait)

/** A program as it is on disk: another version is another program. Scripts stand behind the name of their runtime. */
export const programIdentity = (command: readonly string[]): unknown[] =>
  command.map((word) => {
    const found = isAbsolute(word) ? statSync(word, { throwIfNoEntry: false }) : undefined
    return found?.isFile() ? [word, found.size, found.mtimeMs] : word
  })

/** Names what sessions must have in common to share a process. There are secrets in it: only the hash is kept. */
export const sharingKey = (common: readonly unknown[]): string => shortHash(JSON.stringify(common))

/** Of what a process would be, wherever its variables come from. */
export const sortedVariables = (env: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1))

export const shortHash = (text: string): string =>
  new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16)
