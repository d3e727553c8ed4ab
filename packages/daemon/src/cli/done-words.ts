import type { RouteId } from "@sandbox-agent/schema/contract/contract"
import type { Permission, Question } from "@sandbox-agent/schema/request"
import type { Session } from "@sandbox-agent/schema/session"
import { homePath } from "./cell-words.ts"
import type { Call } from "./client.ts"
import { permissionText } from "./event-text.ts"

type Answer = Record<string, unknown>
type Words = (answer: Answer, path: string, query: URLSearchParams) => string | undefined

const sessionOf = ({ session }: Answer): Session => (session ?? {}) as Session
/** The session, process or terminal of `/v1/sessions/{id}/…`. */
const idIn = (path: string): string => decodeURIComponent(path.split("/")[3] ?? "")

const made =
  (verb: string): Words =>
  (answer) => {
    const { id, agent, directory } = sessionOf(answer)
    return id && directory ? `${verb} ${id} (${agent}) in ${homePath(directory)}` : undefined
  }

/** What was done to an entry of the config of a directory. */
const configured =
  (verb: string, name: "mcpName" | "skillName", where: string): Words =>
  (_, __, query) => {
    const what = name === "mcpName" ? "MCP server" : "skills"
    return `${verb} ${what} ${query.get(name)} ${where} ${homePath(query.get("directory") ?? "")}`
  }

/** A process after it was told to end: it may take its time. */
const ended: Words = ({ id, status, exitCode, signal }) => {
  if (status !== "exited") return `${id} was told to end, and still runs`
  return `${id} ended${signal ? ` by ${signal}` : ` with exit code ${exitCode}`}`
}

const counted = (count: unknown, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

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
  setMcpConfig: configured("stored", "mcpName", "for new sessions in"),
  deleteMcpConfig: configured("removed", "mcpName", "from"),
  setSkillsConfig: configured("stored", "skillName", "for new sessions in"),
  deleteSkillsConfig: configured("removed", "skillName", "from"),
  startProcess: ({ id, pid }) => `started ${id} (pid ${pid})`,
  startTerminal: ({ id, pid }) => `opened ${id} (pid ${pid}); \`sandbox-agent terminals attach ${id}\` shows it`,
  writeProcessInput: ({ bytesWritten }, path) => `sent ${counted(bytesWritten, "byte")} to ${idIn(path)}`,
  signalProcess: ({ status }, path) => (status === "exited" ? undefined : `signalled ${idIn(path)}`),
  stopProcess: ended,
  killProcess: ended,
  deleteProcess: (_, path) => `deleted ${idIn(path)}`,
  resizeTerminal: ({ cols, rows }, path) => `${idIn(path)} is ${cols} columns by ${rows} rows`,
  closeTerminal: (_, path) => `closed ${idIn(path)}`,
  writeFsFile: ({ path, bytesWritten, created }) =>
    `${created ? "wrote" : "replaced"} ${path} (${counted(bytesWritten, "byte")})`,
  uploadFsBatch: ({ files, skippedCount }, _, query) =>
    Number(skippedCount) > 0 ? undefined : `unpacked ${counted(files, "file")} into ${query.get("path")}`,
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

export function doneWords(
  route: string,
  answer: Answer,
  { path, query }: Pick<Call, "path" | "query">,
): string | undefined {
  try {
    return words[route as RouteId]?.(answer, path, query ?? new URLSearchParams())
  } catch {
    // Of another version: it is shown as it came.
    return undefined
  }
}
