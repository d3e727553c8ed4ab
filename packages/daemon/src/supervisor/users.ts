import { existsSync, readFileSync } from "node:fs"

/** A user of this machine. */
export interface User {
  readonly name: string
  readonly uid: number
  readonly gid: number
  /** All of its groups. */
  readonly groups: readonly number[]
  readonly home: string
  readonly shell: string
}

/** By name or number, as the files of the system have it; undefined: there is none. */
export function findUser(wanted: string | number): User | undefined {
  const entry = rows("/etc/passwd").find(([one, , uid]) => (typeof wanted === "string" ? one : Number(uid)) === wanted)
  if (entry === undefined) return undefined
  const [name = "", , uid = "", gid = "", , home = "", shell = ""] = entry
  const others = rows("/etc/group").flatMap(([, , id = "", members = ""]) =>
    members.split(",").includes(name) ? [Number(id)] : [],
  )
  return { name, uid: Number(uid), gid: Number(gid), groups: [...new Set([Number(gid), ...others])], home, shell }
}

/** What a terminal of theirs begins with, also where they cannot log in or have no entry. */
export const shellOf = (user: User | undefined): string =>
  user === undefined || user.shell === "" || /(nologin|false)$/.test(user.shell) ? "/bin/sh" : user.shell

/** None where an image was made without the file. */
const rows = (file: string): string[][] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .map((line) => line.split(":"))
    : []
