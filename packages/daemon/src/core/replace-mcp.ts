import { isDeepStrictEqual } from "node:util"
import type { Mcp } from "@sandbox-agent/schema/session"
import { assertTaken } from "./options.ts"
import type { Session } from "./session.ts"

/**
 * Whoever goes on with a session brings other MCP servers: its agent is opened with them, an open one as soon as nothing
 * runs. What the agent cannot take, or nobody could use, is refused as at create and changes nothing.
 */
export async function replaceMcp(s: Session, given: Mcp): Promise<void> {
  const mcp = { ...configuredOf(s), ...given }
  if (s.driver === undefined || isSameMcp(mcp, s.secrets.mcp ?? {})) return
  const { agent, directory, pinnedVersion: agentVersion } = s.record
  await assertTaken(s.driver, { agent, agentVersion, mcp, env: s.secrets.env }, directory, s.context)
  s.secrets.mcp = mcp
  const { rows, store } = s.context
  store.write(() => rows.saveSecrets(s.record.uid, s.secrets))
  if (s.native === undefined && s.opening === undefined) return
  s.deferred.reopen.mcp = mcp
  s.context.advance(s)
}

/** What was configured for the directory is not the client's to replace, but by name. */
function configuredOf({ secrets }: Session): Mcp {
  const { mcp = {}, configured = [] } = secrets
  return Object.fromEntries(Object.entries(mcp).filter(([name]) => configured.includes(name)))
}

/** What is left out is the same as nothing in it. */
function isSameMcp(one: Mcp, other: Mcp): boolean {
  const whole = (mcp: Mcp) =>
    Object.fromEntries(
      Object.entries(mcp).map(([name, server]) => [
        name,
        "url" in server
          ? { ...server, headers: server.headers ?? {} }
          : { ...server, type: "stdio", args: server.args ?? [], env: server.env ?? {} },
      ]),
    )
  return isDeepStrictEqual(whole(one), whole(other))
}
