import type { Agent, Config, Rule } from "./native.ts"

type Permission = NonNullable<Config["permission"]>

/** Reading passes without a question, as everywhere; files with secrets are asked for. */
const reading = { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" } as const
const harmless = ["glob", "grep", "list", "lsp", "skill"] as const

/** Every permission, in words no user writes: theirs keep their place before it, and so it decides. */
const EVERY = "**"

/** Of every agent on the server, sub-agents included: what is not reading is asked, and the core decides. */
export const serverPermission: Exclude<Permission, string> = {
  [EVERY]: "ask",
  read: reading,
  ...Object.fromEntries(harmless.map((name) => [name, "allow" as const])),
  // Sub-agents have none of these; a session is given the first.
  question: "deny",
  plan_enter: "deny",
  plan_exit: "deny",
}

/** The searching sub-agent stays one: the rule for all would give it tools that write. */
export const explorePermission: Exclude<Permission, string> = {
  "*": "deny",
  read: reading,
  grep: "allow",
  glob: "allow",
  list: "allow",
  bash: "ask",
  webfetch: "ask",
  websearch: "ask",
  external_directory: { "*": "ask" },
}

const rule = (permission: string, action: Rule["action"], pattern = "*"): Rule => ({ permission, pattern, action })

/** Denied by OpenCode itself in every agent; in a session of ours questions are welcome. */
const native = ["question", "plan_enter", "plan_exit"]

/**
 * The rules of one session, which come after those of its agent and so decide. Agent mode and permission mode are
 * independent: `plan` denies edits by itself, here they are asked. What the user's own configuration denies stays denied.
 */
export function sessionRules(agents: readonly Agent[], mode: string, skills: string | undefined): Rule[] {
  const base = [
    rule("*", "ask"),
    ...Object.entries(reading).map(([pattern, action]) => rule("read", action, pattern)),
    ...[...harmless, "question", "todowrite", "task"].map((name) => rule(name, "allow")),
    ...(skills === undefined ? [] : [rule("external_directory", "allow", `${skills}/*`)]),
  ]
  const build = agents.find(({ name }) => name === "build")?.permission ?? []
  const denied = build.slice(0, serverLayer(build).start).filter(({ action }) => action === "deny")
  const agentRules = agents.find(({ name }) => name === mode)?.permission ?? []
  const layers = [
    ...denied.filter(({ permission }) => !native.includes(permission)),
    ...agentRules.slice(serverLayer(agentRules).end),
  ]
  return [...base, ...layers.flatMap(asked)]
}

/** Where our rules for the server end: before them stands what holds for all agents, behind them what is the agent's own. */
function serverLayer(rules: readonly Rule[]): { start: number; end: number } {
  const start = rules.findLastIndex(({ permission }) => permission === EVERY)
  if (start < 0) return { start: rules.length, end: rules.length }
  const rest = rules.slice(start).findIndex((one) => !ours.has(textOf(one)))
  return { start, end: rest < 0 ? rules.length : start + rest }
}

const textOf = ({ permission, pattern, action }: Rule): string => [permission, pattern, action].join("\n")

const ours = new Set(
  Object.entries(serverPermission).flatMap(([permission, value]) =>
    typeof value === "string"
      ? [[permission, "*", value].join("\n")]
      : Object.entries(value ?? {}).map(([pattern, action]) => [permission, pattern, action].join("\n")),
  ),
)

/** What an agent's own configuration allows is still asked: allowing is the permission mode's part. */
function asked({ permission, pattern, action }: Rule): Rule[] {
  if (action !== "allow") return [rule(permission, action, pattern)]
  if (permission === "*") return [rule("*", "ask", pattern), ...free.map((name) => rule(name, "allow", pattern))]
  return [rule(permission, passes(permission) ? "allow" : "ask", pattern)]
}

/** What may be allowed without asking for anything that changes something. */
const free: readonly string[] = [...harmless, "read", "question", "todowrite", "task"]
const passes = (permission: string): boolean => free.includes(permission) || permission === "external_directory"

/** Configuration of agents, by their names. */
export type Fences = Readonly<Record<string, { permission: Exclude<Permission, string> }>>

/**
 * What sub-agents of the user's allow themselves, as configuration that asks instead. Their own rules come after ours for
 * the server and decide, and no session of ours has a say in theirs.
 */
export function fencesOf(agents: readonly Agent[]): Fences {
  const fenced = agents.flatMap(({ name, mode, permission }) => {
    const agentRules = mode === "primary" ? [] : permission.slice(serverLayer(permission).end)
    const freed = agentRules.filter((one) => one.action === "allow" && !passes(one.permission))
    return freed.length === 0 ? [] : [[name, { permission: fenceOf(freed) }] as const]
  })
  return Object.fromEntries(fenced)
}

function fenceOf(freed: readonly Rule[]): Exclude<Permission, string> {
  const fence: Record<string, Record<string, "ask" | "allow">> = {}
  for (const { permission, pattern } of freed) fence[permission] = { ...fence[permission], [pattern]: "ask" }
  if (fence["*"] === undefined) return fence
  // All is asked; reading still passes, as everywhere.
  const readable = Object.fromEntries(harmless.map((name) => [name, { "*": "allow" as const }]))
  return { ...fence, ...readable, read: reading }
}
