import { chmodSync, chownSync, lstatSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { User } from "../supervisor/users.ts"

export const refused = (
  code: "invalid_request" | "permission_denied",
  detail: string,
  hint: string,
): SandboxAgentError => new SandboxAgentError(code, `--agent-user: ${detail}`, { hint })

export const notAllowed = ({ name }: User, error: unknown): SandboxAgentError =>
  refused(
    "permission_denied",
    `this daemon may not run programs as ${name} (${error instanceof Error ? error.message : String(error)})`,
    "Start the daemon as root, or with the capabilities to change the user (CAP_SETUID, CAP_SETGID, CAP_CHOWN, CAP_KILL).",
  )

/** Of ours, and to be passed through by that user: only what is meant for it opens further. */
export function makeFolders(directory: string, user: User): void {
  try {
    for (const folder of [directory, join(directory, "attachments")]) ours(folder, user, 0o710)
    // Programs: anybody may run them.
    ours(join(directory, "bin"), user, 0o755)
    for (const name of ["home", "agents"]) theirs(join(directory, name), user)
  } catch (error) {
    if (SandboxAgentError.is(error)) throw error
    throw notAllowed(user, error)
  }
}

function ours(folder: string, { gid }: User, mode: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid } = lstatSync(folder)
  if (!lstatSync(folder).isDirectory() || uid !== process.geteuid?.())
    throw refused("permission_denied", `${folder} belongs to another user`, "Choose another --agent-dir.")
  chownSync(folder, uid, gid)
  chmodSync(folder, mode)
}

/** Handed over while it is empty: later its owner may have put anything there. */
function theirs(folder: string, { uid, gid }: User): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (lstatSync(folder).uid === process.geteuid?.()) chownSync(folder, uid, gid)
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== uid)
    throw refused("permission_denied", `${folder} belongs to another user`, "Choose another --agent-dir for this user.")
}

/** The data directory: nobody else looks into it, whatever it was made with. */
export function close(directory: string): void {
  try {
    chmodSync(directory, 0o700)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw refused(
      "permission_denied",
      `${directory} cannot be closed to others (${why})`,
      "Give it to the daemon's user.",
    )
  }
}

/** Folders stay ours, so that nothing in them can be replaced; the file becomes the user's own, so that its group cannot read it. */
export function share(root: string, file: string, { uid, gid }: User): void {
  const daemonUid = process.geteuid?.() ?? 0
  for (let folder = dirname(file); isBelow(root, folder); folder = dirname(folder)) {
    chownSync(folder, daemonUid, gid)
    chmodSync(folder, 0o710)
  }
  chmodSync(file, 0o400)
  chownSync(file, uid, gid)
}

const isBelow = (root: string, folder: string): boolean => folder.startsWith(`${root}/`)
