import type { RouteId } from "@sandbox-agent/schema/contract/contract"
import type { Permission, Question } from "@sandbox-agent/schema/request"
import type { Session } from "@sandbox-agent/schema/session"
import { homePath } from "./cell-words.ts"
import { permissionText } from "./event-text.ts"

type Answer = Record<string, unknown>
type Words = (answer: Answer, path: string) => string | undefined

const sessionOf = ({ session }: Answer): Session => (session ?? {}) as Session
/** The session of `/v1/sessions/{id}/…`. */
const idIn = (path: string): string => decodeURIComponent(path.split("/")[3] ?? "")

const made =
  (verb: string): Words =>
  (answer) => {
    const { id, agent, directory } = sessionOf(answer)
    return id && directory ? `${verb} ${id} (${agent}) in ${homePath(directory)}` : undefined
  }

const applied: Record<string, string> = {
  now: "in force now",
  next_turn: "in force with the next turn",
  reopen: "in force when the agent is started again",
}

/** What was done, in a line; all that was answered is in `--json` and the `get` commands. */
const words: Partial<Record<RouteId, Words>> = {
  createSession: made("created"),
  createSessionWithNewId: made("created"),
  restoreSession: made("restored"),
  resumeSession: made("resumed"),
  forkSession: made("forked into"),
  deleteSession: (_, path) => `deleted ${idIn(path)}`,
  terminateSession: (_, path) => `ended ${idIn(path)}`,
  patchSession: (answer) =>
    `updated ${sessionOf(answer).id}, ${applied[String(answer.applied)] ?? String(answer.applied)}`,
  cancelTurn: ({ ended, turnId }, path) =>
    turnId === undefined ? `no turn runs in ${idIn(path)}` : ended ? `stopped the turn of ${idIn(path)}` : undefined,
  postMessage: ({ messageId, position }, path) =>
    `sent to ${idIn(path)} as ${messageId}${Number(position) > 0 ? `, behind ${position} other${position === 1 ? "" : "s"}` : ""}`,
  withdrawMessage: (_, path) => `withdrew ${decodeURIComponent(path.split("/").at(-1) ?? "")}`,
  moveFsEntry: ({ from, to }) => `moved ${from} to ${to}`,
  copyFsEntry: ({ from, to, skipped }) =>
    Array.isArray(skipped) && skipped.length > 0 ? undefined : `copied ${from} to ${to}`,
  deleteFsEntry: ({ path }) => `removed ${path}`,
  chmodFsEntry: ({ path }) => `changed the mode of ${path}`,
  makeFsDirectory: ({ path }) => `made ${path}`,
  replyPermission: ({ permission }) => {
    const { status, ...one } = permission as Permission
    const decided = { accept: "allowed once", accept_for_session: "allowed for the session", reject: "rejected" }
    return `${decided[status as keyof typeof decided] ?? status}: ${permissionText({ status, ...one })}`
  },
  replyQuestion: ({ question }) => `answered: ${(question as Question).prompt}`,
  rejectQuestion: ({ question }) => `rejected: ${(question as Question).prompt}`,
}

export function doneWords(route: string, answer: Answer, path: string): string | undefined {
  try {
    return words[route as RouteId]?.(answer, path)
  } catch {
    // Of another version: it is shown as it came.
    return undefined
  }
}
