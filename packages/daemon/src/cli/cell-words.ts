import { homedir } from "node:os"

const units = [
  [60, "s", 1],
  [3_600, "min", 60],
  [86_400, "h", 3_600],
  [Number.POSITIVE_INFINITY, "d", 86_400],
] as const

/** How long ago a time was, as people say it. */
export function ago(time: string, now = Date.now()): string {
  const at = Date.parse(time)
  if (Number.isNaN(at)) return time
  const seconds = Math.max(0, Math.round((now - at) / 1000))
  if (seconds < 5) return "now"
  const [, unit, size] = units.find(([below]) => seconds < below) ?? units[3]
  return `${Math.floor(seconds / size)} ${unit} ago`
}

/** A path as its owner writes it. */
export function homePath(path: string, home = process.env.HOME || homedir()): string {
  return path === home ? "~" : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

const logins: Record<string, string> = { available: "yes", missing: "no" }

/** One cell of a table on a screen, where the value itself is for programs. */
export function cellWords(name: string, value: unknown): unknown {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (name === "createdAtMs" && typeof value === "number") return ago(new Date(value).toISOString())
  if (typeof value !== "string") return value
  if (name === "credentials") return logins[value] ?? value
  if (name === "directory" || name === "cwd") return homePath(value)
  return name === "updatedAt" || name === "createdAt" || name === "time" ? ago(value) : value
}

/** Headings as words. */
export const headings: Readonly<Record<string, string>> = {
  updatedAt: "updated",
  createdAt: "created",
  createdAtMs: "created",
  serverId: "id",
  credentials: "login",
  defaultVariant: "variant",
  permission_id: "id",
  question_id: "id",
  item_id: "id",
  entryType: "type",
}
