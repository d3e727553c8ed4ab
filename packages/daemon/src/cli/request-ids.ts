import type { Route } from "@sandbox-agent/schema/contract/route"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Permission, PermissionReplySchema, type Question } from "@sandbox-agent/schema/request"
import { routeFlags } from "./api-commands.ts"
import { callJson } from "./client.ts"
import { connectionOf } from "./connection.ts"
import { permissionText } from "./event-text.ts"
import { type Given, parseFlags } from "./parse.ts"

interface Pending {
  permissions: Permission[]
  questions: Question[]
}

/** As the daemon makes them; who writes one means it. */
const idOf = { replyPermission: /^perm_/, replyQuestion: /^que_/, rejectQuestion: /^que_/ } as const
type Answering = keyof typeof idOf

export const answersRequest = (route: Route): boolean => Object.hasOwn(idOf, route.id)

/** The same words with the id of the request, where it was left out and only one is open. */
export async function withRequestId(route: Route, argv: readonly string[]): Promise<string[]> {
  const parsed = parseFlags(argv, routeFlags(route), route.cli)
  const [session, id, ...rest] = parsed.positionals
  const given = parsed.given.map(({ flag, value }) => `--${flag.name}=${value}`)
  if (session === undefined || isGiven(route.id as Answering, id, parsed.given)) return [...argv]
  const path = `/v1/sessions/${encodeURIComponent(session)}/pending`
  const pending = await callJson<Pending>(await connectionOf(parsed, process.env), { method: "GET", path })
  const found = onlyOne(route.id as Answering, session, pending)
  return [...given, "--", session, found, ...(id === undefined ? [] : [id]), ...rest]
}

/** Whether the second word is an id: an answer may stand there, unless it was given by a flag. */
function isGiven(route: Answering, id: string | undefined, flags: readonly Given[]): boolean {
  if (id === undefined) return false
  if (idOf[route].test(id) || route === "rejectQuestion") return true
  const isAnswer = route === "replyQuestion" || PermissionReplySchema.safeParse(id).success
  return !isAnswer || flags.some(({ flag }) => ["reply", "answers", "body"].includes(flag.name))
}

function onlyOne(route: Answering, session: string, { permissions, questions }: Pending): string {
  const isPermission = route === "replyPermission"
  const open = isPermission
    ? permissions.map((one) => ({ id: one.permission_id, text: permissionText(one) }))
    : questions.map((one) => ({ id: one.question_id, text: one.prompt }))
  const [first, ...others] = open
  const kind = isPermission ? "permission" : "question"
  if (first === undefined)
    throw new SandboxAgentError("not_found", `no ${kind} is open in ${session}`, {
      hint: `see \`sandbox-agent sessions get-pending ${session}\``,
    })
  if (others.length === 0) return first.id
  const list = open.map(({ id, text }) => `\n  ${id}  ${text.split("\n")[0]}`).join("")
  throw new SandboxAgentError("invalid_request", `${open.length} ${kind}s are open in ${session}; name one:${list}`, {
    hint: `such as \`sandbox-agent sessions ${isPermission ? "reply-permission" : "reply-question"} ${session} ${first.id} …\``,
  })
}
