import type { User } from "./users.ts"

/** How a program is started as another user. */
export interface Launcher {
  /** For the runtime, which changes to them in the child. */
  readonly ids: { uid?: number; gid?: number }
  words(command: readonly string[]): string[]
  readonly user: Pick<User, "uid" | "gid">
  /** It has further groups, and its processes do not get them. */
  readonly lacksGroups: boolean
}

/** The runtime gives a child no further groups. A user who has some is changed to by `setpriv`, where it can do that. */
export function launcherFor({ uid, gid, groups }: User): Launcher {
  const further = groups.filter((group) => group !== gid)
  const setpriv = further.length === 0 ? undefined : Bun.which("setpriv")
  if (!setpriv || !knowsGroups(setpriv))
    return { user: { uid, gid }, ids: { uid, gid }, words: (command) => [...command], lacksGroups: further.length > 0 }
  const change = [setpriv, `--reuid=${uid}`, `--regid=${gid}`, `--groups=${groups.join(",")}`, "--"]
  return { user: { uid, gid }, ids: {}, words: (command) => [...change, ...command], lacksGroups: false }
}

/** The one of BusyBox does not. */
const knowsGroups = (setpriv: string): boolean => Bun.spawnSync([setpriv, "--help"]).stdout.includes("--groups")
