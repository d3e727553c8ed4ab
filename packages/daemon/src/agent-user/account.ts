import { statSync } from "node:fs"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { AgentUser } from "../core/agent-user.ts"
import { registerChild } from "../supervisor/known-children.ts"
import { type Launcher, launcherFor } from "../supervisor/launch-as.ts"
import { findUser, shellOf, type User } from "../supervisor/users.ts"
import { close, makeFolders, notAllowed, refused, share } from "./folders.ts"
import { FileUser } from "./fs-user.ts"

/** What is needed to run agents as another user, checked and arranged. */
export interface AgentAccount extends AgentUser {
  readonly launcher: Launcher
  /** What its processes see in place of ours. */
  readonly environment: Readonly<Record<string, string>>
}

export interface AccountOptions {
  name: string
  /** Where agents have their homes, programs and attachments. */
  directory: string
  dataDirectory: string
}

/** Throws a typed error that says what is missing: an agent that ran as somebody else would be worse than none. */
export async function openAccount(options: AccountOptions): Promise<AgentAccount> {
  const { name, directory, dataDirectory } = options
  const user = assertUser(name)
  close(dataDirectory)
  makeFolders(directory, user)
  const launcher = launcherFor(user)
  await assertSwitch(launcher, user)
  leaveGroups(user)
  const files = fileUserOf(user)
  const canRead = (path: string) => reads(launcher, path)
  if (!(await canRead(join(directory, "home"))))
    throw refused(
      "permission_denied",
      `user ${name} cannot reach ${directory}: a folder above it is closed to it`,
      "Choose --data-dir or --agent-dir in a place that every user can pass through, such as /var/lib/sandbox-agent.",
    )
  const home = (await isHome(user, canRead)) ? user.home : join(directory, "home")
  return {
    ...user,
    directory,
    launcher,
    canRead,
    environment: { HOME: home, USER: name, LOGNAME: name, SHELL: shellOf(user) },
    run: (work) => typed(user, () => files.run(work)),
    share: (file) => share(directory, file, user),
    remove: async (folder) => void (await exits(launcher, ["rm", "-rf", "--", folder])),
  }
}

/** File work as that user keeps the groups that we have beside our own: what is open to them would be open to it. */
function leaveGroups(user: User): void {
  try {
    process.setgroups?.([])
  } catch (error) {
    throw notAllowed(user, error)
  }
}

function fileUserOf(user: User): FileUser {
  try {
    const files = new FileUser(user.uid, user.gid)
    files.run(() => {})
    return files
  } catch (error) {
    throw notAllowed(user, error)
  }
}

function assertUser(name: string): User {
  if (process.platform !== "linux")
    throw refused("invalid_request", "agents run as another user on Linux alone", "Leave it out.")
  const user = findUser(name)
  if (user === undefined)
    throw refused(
      "invalid_request",
      `there is no user ${name}`,
      `Make one, such as with \`useradd --create-home ${name}\`.`,
    )
  const daemonUid = process.geteuid?.()
  if (user.uid === daemonUid || user.uid === 0)
    throw refused(
      "invalid_request",
      `${name} is ${user.uid === daemonUid ? "the user of the daemon itself" : "root"}`,
      "Name a user without rights of its own, that agents alone run as.",
    )
  return user
}

/** Tried with a program that waits for its end: whoever is started must also be ended. */
async function assertSwitch(launcher: Launcher, user: User): Promise<void> {
  try {
    const child = Bun.spawn(launcher.words(["sh", "-c", "id -u; read -r word"]), {
      ...{ stdin: "pipe", stdout: "pipe", stderr: "ignore", cwd: "/", env: { PATH: process.env.PATH ?? "" } },
      ...launcher.ids,
    })
    registerChild(child.pid, child.exited)
    const { value } = await child.stdout.getReader().read()
    const uid = new TextDecoder().decode(value).trim()
    if (uid !== String(user.uid)) throw new Error(`a program ran as user ${uid || "unknown"}`)
    process.kill(child.pid, "SIGKILL")
    await child.exited
  } catch (error) {
    throw notAllowed(user, error)
  }
}

/** Also what it cannot list: then there is nothing to be read for its user. */
async function reads(launcher: Launcher, path: string): Promise<boolean> {
  const script = 'if [ -d "$1" ]; then cd -- "$1" && [ -r . ]; else [ -r "$1" ]; fi'
  return (await exits(launcher, ["sh", "-c", script, "sh", path])) === 0
}

function typed<T>({ name }: User, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (code !== "EACCES" && code !== "EPERM") throw error
    throw new SandboxAgentError("permission_denied", `user ${name}, whom agents run as: ${(error as Error).message}`)
  }
}

/** The exit code of a small program that is run as that user. */
function exits(launcher: Launcher, command: readonly string[]): Promise<number> {
  const env = { PATH: process.env.PATH ?? "" }
  const silent = { stdin: "ignore", stdout: "ignore", stderr: "ignore", cwd: "/", env } as const
  const child = Bun.spawn(launcher.words(command), { ...silent, ...launcher.ids })
  registerChild(child.pid, child.exited)
  return child.exited
}

async function isHome({ home, uid }: User, canRead: (path: string) => Promise<boolean>): Promise<boolean> {
  const found = statSync(home, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === uid && (await canRead(home))
}
