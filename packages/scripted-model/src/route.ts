import type { IncomingHttpHeaders } from "node:http"
import { anthropic } from "./dialects/anthropic.ts"
import { chat } from "./dialects/chat.ts"
import type { Dialect } from "./dialects/dialect.ts"
import { google } from "./dialects/google.ts"
import { isGoogle } from "./dialects/google-request.ts"
import { responses } from "./dialects/responses.ts"
import { type JsonObject, parseJson, stringAt } from "./json.ts"

export interface Target {
  /** From a `/s/<key>` prefix. */
  prefixKey: string | undefined
  path: string
  query: string
}

const DIALECTS: Record<string, Dialect> = {
  "/messages": anthropic,
  "/responses": responses,
  "/chat/completions": chat,
}

export function readTarget(url: string): Target {
  const at = url.indexOf("?")
  const whole = at === -1 ? url : url.slice(0, at)
  const query = at === -1 ? "" : url.slice(at + 1)
  const prefixed = /^\/s\/([^/]+)(\/.*)?$/.exec(whole)
  if (prefixed === null) return { prefixKey: undefined, path: whole, query }
  return { prefixKey: decode(prefixed[1] ?? ""), path: prefixed[2] ?? "/", query }
}

/** Agents differ on who adds `/v1`, the base address or they. Amp asks its own server, and names the provider there. */
export function withoutVersion(path: string): string {
  return path.replace(/^\/api\/provider\/[^/]+(?=\/)/, "").replace(/^(?:\/v1)+(?=\/)/, "")
}

export function dialectOf(path: string): Dialect | undefined {
  return isGoogle(path) ? google : DIALECTS[withoutVersion(path)]
}

/** Every key a request may be routed by, most explicit first. */
export function sessionKeys(target: Target, headers: IncomingHttpHeaders, body: JsonObject): string[] {
  const keys = [
    target.prefixKey,
    tokenKey(headers),
    header(headers, "x-claude-code-session-id"),
    header(headers, "thread-id"),
    header(headers, "session-id"),
    header(headers, "x-session-id"),
    header(headers, "x-parent-session-id"),
    header(headers, "x-amp-thread-id"),
    stringAt(body, "prompt_cache_key"),
    claudeUserSession(body),
  ]
  return [...new Set(keys.filter((key) => key !== undefined && key !== ""))] as string[]
}

/** What Codex calls the agent that the user speaks to; the paths of its sub-agents begin with it. */
export const codexMain = "/root"

/** Who asks inside a session: Claude Code's sub-agent id, OpenCode's child session, Codex's agent path. */
export function agentIdOf(headers: IncomingHttpHeaders): string | undefined {
  const claude = header(headers, "x-claude-code-agent-id")
  if (claude !== undefined) return claude
  if (header(headers, "x-parent-session-id") !== undefined) return header(headers, "x-session-id")
  const codex = stringAt(parseJson(header(headers, "x-codex-turn-metadata") ?? ""), "agent_name")
  return codex === codexMain ? undefined : codex
}

/** `key-<session>` as API key or bearer token. */
function tokenKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = header(headers, "authorization")?.replace(/^Bearer\s+/i, "")
  return [bearer, header(headers, "x-api-key"), header(headers, "x-goog-api-key")]
    .find((token) => token?.startsWith("key-"))
    ?.slice("key-".length)
}

// Claude's SDKs put the session into the metadata even where the header is missing.
function claudeUserSession(body: JsonObject): string | undefined {
  const metadata = body.metadata
  const user = stringAt(metadata, "user_id")
  return user === undefined ? undefined : stringAt(parseJson(user), "session_id")
}

function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
