import { type Json, list, text } from "../shared/json.ts"

/** One of Amp's rules for MCP servers: the first that matches decides, and without any a server is started. */
type Rule = { matches: Record<string, string>; action: "allow" | "reject" }

/**
 * Rules with which no MCP server starts that nobody has asked for. `brought` are those of the repository's skills: a server
 * of the user's that is started by the same words would be told apart from theirs by nothing.
 */
export const mcpPermissions = (user: unknown, known: readonly Json[], brought: readonly Json[]): unknown[] => [
  ...brought.flatMap((spec) => matching(spec).map((matches): Rule => ({ matches, action: "reject" }))),
  ...list(user),
  // Those with arguments first: one without would refuse them.
  ...known.filter(hasArguments).flatMap(allowing),
  ...known.filter((spec) => !hasArguments(spec)).flatMap(allowing),
  { matches: { command: "*" }, action: "reject" } satisfies Rule,
  { matches: { url: "*" }, action: "reject" } satisfies Rule,
]

const hasArguments = ({ args }: Json): boolean => Array.isArray(args)

function matching({ command, args, url }: Json): Rule["matches"][] {
  const given = text(command)
  if (given !== undefined)
    return [{ command: exactly(given), ...(Array.isArray(args) && { args: exactly(args.join(" ")) }) }]
  const address = text(url)
  return address === undefined ? [] : [{ url: exactly(address) }]
}

function allowing(spec: Json): Rule[] {
  return matching(spec).flatMap((matches): Rule[] => {
    const allow: Rule = { matches, action: "allow" }
    // A rule without arguments is for all of them.
    const others: Rule = { matches: { ...matches, args: "*" }, action: "reject" }
    return matches.command === undefined || matches.args !== undefined ? [allow] : [others, allow]
  })
}

/** A text in which Amp sees no pattern. */
const exactly = (plain: string): string =>
  plain.includes("*") || /^\/[\s\S]*\/$/.test(plain) ? `/(?<![\\s\\S])${escaped(plain)}(?![\\s\\S])/` : plain

const escaped = (plain: string): string => plain.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
