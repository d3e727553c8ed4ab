import { readFileSync } from "node:fs"

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

/** As the files of the system have it; undefined: there is none of this name. */
export function findUser(name: string): User | undefined {
  const entry = rows("/etc/passwd").find(([one]) => one === name)
  if (entry === undefined) return undefined
  const [, , uid = "", gid = "", , home = "", shell = ""] = entry
  const others = rows("/etc/group").flatMap(([, , id = "", members = ""]) =>
    members.split(",").includes(name) ? [Number(id)] : [],
  )
  return { name, uid: Number(uid), gid: Number(gid), groups: [...new Set([Number(gid), ...others])], home, shell }
}

const rows = (file: string): string[][] =>
  readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.split(":"))
