import { routes } from "@sandbox-agent/schema/contract/contract"
import { errors, SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Flag, inFlags } from "./flag.ts"

const request = /`?\b(GET|POST|PUT|PATCH|DELETE) (\/v1\/[^\s`,;)]*[^\s`,;).])`?/g

/** Requests that a text tells to make, as the commands that make them. */
export const inCommands = (text: string): string =>
  text.replace(request, (whole, method: string, address: string) => {
    const [path = ""] = address.split("?")
    const found = routes.find((route) => route.method === method && isOf(route.path, path))
    return found === undefined ? whole : `\`sandbox-agent ${found.cli.join(" ")}\``
  })

/** `{id}` stands for any segment, on both sides. */
function isOf(template: string, path: string): boolean {
  const [wanted, given] = [template.split("/"), path.split("/")]
  return wanted.length === given.length && wanted.every((part, i) => part.startsWith("{") || part === given[i])
}

/** The same error in what can be typed. */
export function asTyped(error: unknown, flags: readonly Flag[]): unknown {
  if (!SandboxAgentError.is(error)) return error
  const words = (text: string): string => inFlags(inCommands(text), flags)
  const { hint } = error.context
  // The general ones have words of their own here.
  const told = typeof hint === "string" && hint !== errors[error.code].hint ? { hint: words(hint) } : {}
  return new SandboxAgentError(error.code, inFlags(error.detail, flags), { ...error.context, ...told })
}
