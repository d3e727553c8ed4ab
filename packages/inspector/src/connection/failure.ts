import { isSandboxAgentError, ProblemError } from "sandbox-agent"

/** Why a daemon could not be reached, in words that help. */
export interface Failure {
  kind: "token" | "ticket" | "host" | "origin" | "unreachable" | "address" | "other"
  title: string
  text: string
  /** What to run or to add. */
  command?: string
}

export function failureOf(error: unknown, baseUrl: string, hadToken = false): Failure {
  if (error instanceof ProblemError) return refusal(error, hadToken)
  if (isSandboxAgentError(error) && (error.kind === "network" || error.kind === "timeout")) return silence(baseUrl)
  if (isSandboxAgentError(error) && error.kind === "argument" && error.message.startsWith("token:"))
    return {
      kind: "token",
      title: "This is no token",
      text: "It has characters that no token has. Copy it again; this command prints it on the daemon's machine:",
      command: "sandbox-agent daemon token",
    }
  if (isSandboxAgentError(error) && error.kind === "argument")
    return {
      kind: "address",
      title: "This is no address",
      text: "It begins with http:// or https://, such as http://127.0.0.1:2468.",
    }
  if (isSandboxAgentError(error) && error.kind === "protocol")
    return {
      kind: "other",
      title: "Something else answers there",
      text: "What came back is not from a Sandbox Agent daemon. Check the address and its port.",
    }
  return { kind: "other", title: "It did not work", text: error instanceof Error ? error.message : String(error) }
}

function refusal(error: ProblemError, hadToken: boolean): Failure {
  const detail = error.problem?.detail ?? error.message
  const flag = /start the daemon with (--[\w-]+ \S+)/.exec(detail)?.[1]
  if (error.code === "token_invalid")
    return hadToken
      ? {
          kind: "token",
          title: "The token is wrong",
          text: "The daemon printed it at its start. This command prints it again on its machine:",
          command: "sandbox-agent daemon token",
        }
      : {
          kind: "token",
          title: "This daemon asks for a token",
          text: "It printed one at its start. This command prints it again on its machine:",
          command: "sandbox-agent daemon token",
        }
  if (error.code === "permission_denied" && detail.startsWith("Host"))
    return {
      kind: "host",
      title: "The daemon does not take this name",
      text: "It answers to names it was told of. Start it with:",
      command: `sandbox-agent server ${flag ?? "--allow-host NAME"}`,
    }
  if (error.code === "permission_denied" && detail.startsWith("Origin"))
    return {
      kind: "origin",
      title: "The daemon does not take this page",
      text: "Pages of another address are kept out. Start it with:",
      command: `sandbox-agent server ${flag ?? `--cors-allow-origin ${location.origin}`}`,
    }
  if (error.code === "not_found" && detail.includes("ticket"))
    return {
      kind: "ticket",
      title: "The link was used already",
      text: "An address with a ticket signs one page in, once. Sign in with the token, or make another:",
      command: "sandbox-agent system ticket",
    }
  return { kind: "other", title: `The daemon refused (${error.status})`, text: detail }
}

/** A browser does not tell a page why a request failed: nothing listens there, or the answer is kept from this page. */
function silence(baseUrl: string): Failure {
  const sameOrigin = URL.canParse(baseUrl) && new URL(baseUrl).origin === location.origin
  if (sameOrigin)
    return {
      kind: "unreachable",
      title: "Nothing answers",
      text: "The daemon that served this page is gone. Start it again:",
      command: "sandbox-agent server",
    }
  if (location.protocol === "https:" && baseUrl.startsWith("http:") && !/\/\/(127\.|localhost|\[::1\])/.test(baseUrl))
    return {
      kind: "unreachable",
      title: "The browser does not allow it",
      text: "This page came by https and may not speak to an http address. Open the daemon's own page at its /ui/ instead.",
    }
  return {
    kind: "unreachable",
    title: "Nothing answers, or this page is kept out",
    text: "Either nothing listens there, or the daemon does not let pages of this address in. Start it with:",
    command: `sandbox-agent server --cors-allow-origin ${location.origin}`,
  }
}
