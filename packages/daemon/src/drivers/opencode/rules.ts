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
  const own = agents.find(({ name }) => name === mode)?.permission ?? []
  const layers = [
    ...denied.filter(({ permission }) => !native.includes(permission)),
    ...own.slice(serverLayer(own).end),
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
  const free = [...harmless, "read", "question", "todowrite", "task"]
  if (permission === "*") return [rule("*", "ask", pattern), ...free.map((name) => rule(name, "allow", pattern))]
  const passes = free.includes(permission) || permission === "external_directory"
  return [rule(permission, passes ? "allow" : "ask", pattern)]
}
