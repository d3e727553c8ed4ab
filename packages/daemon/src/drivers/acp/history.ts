import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { withDeadline } from "../../core/deadline.ts"
import type { Host, NativeRef, OpenOptions, PastItem } from "../../core/driver.ts"
import type { LineOutcome } from "../../core/driver-sink.ts"
import { list, record, text } from "../shared/json.ts"
import type { Launcher } from "../shared/launcher.ts"
import { openMsOf } from "../shared/open-ms.ts"
import type { AcpAgent } from "./agent.ts"
import { loginHint, typed } from "./failure.ts"
import { PastItems } from "./past-items.ts"
import type { Incoming } from "./peer.ts"
import type { AcpProcess, Attached } from "./process.ts"
import type { ProcessLease, Servers } from "./server.ts"
import { AcpSession } from "./session.ts"

/** What was said in a session of the agent's own: it tells it when the session is loaded. */
export async function readHistory(
  agent: AcpAgent,
  servers: Servers,
  launcher: Launcher,
  ref: NativeRef,
  host: Host,
): Promise<PastItem[]> {
  const past = new PastItems()
  const owner = `history:${agent.id}`
  const settings = { agentMode: "build", permissionMode: "plan" } as const
  const options: Omit<OpenOptions, "signal"> = {
    from: { kind: "new" },
    sessionId: "history",
    owner,
    directory: host.home,
    env: {},
    settings,
  }
  const session = new AcpSession(agent, options, past, host)
  const reader: Attached = {
    sink: past,
    working: true,
    joined: (process) => session.joined(process),
    receive: (message) => receive(message, session, past),
  }
  const lease = await servers.startDedicated(launcher, host.home, owner, host, reader, () => {})
  try {
    const loading = load(lease, session, past, ref.id ?? "")
    return await withDeadline(loading, openMsOf(host), `${agent.name} did not tell the past of ${ref.id}`)
  } catch (error) {
    throw typed(error, agent.id, agent.name, loginHint(lease.abilities.authMethods, launcher.command, []))
  } finally {
    await lease.kill()
  }
}

async function load(
  { process, abilities }: ProcessLease,
  session: AcpSession,
  past: PastItems,
  id: string,
): Promise<PastItem[]> {
  const cwd = abilities.list ? await directoryOf(process, id) : undefined
  if (abilities.list && cwd === undefined)
    throw new SandboxAgentError("not_found", `${session.agent.name} has no session ${id}`)
  // One that resumes without telling the past has none to tell.
  if (!abilities.load) return []
  const _meta = session.agent.traits.sessionMeta
  const place = { cwd: cwd ?? globalThis.process.cwd(), mcpServers: [], ...(_meta && { _meta }) }
  await process.request("session/load", { sessionId: id, ...place })
  session.messages.endAll()
  return past.items
}

/** Where a session was made, from the agent's list of all. */
async function directoryOf(process: AcpProcess, id: string): Promise<string | undefined> {
  let cursor: string | undefined
  do {
    const page = await process.request("session/list", cursor === undefined ? {} : { cursor })
    const found = list(page.sessions)
      .map(record)
      .find((one) => one.sessionId === id)
    if (found !== undefined) return text(found.cwd)
    cursor = text(page.nextCursor)
  } while (cursor !== undefined)
  return undefined
}

/** What the user said comes as chunks, too; in a live session that is only an echo. */
function receive(message: Incoming, session: AcpSession, past: PastItems): LineOutcome {
  const update = record(message.params.update)
  if (update.sessionUpdate !== "user_message_chunk") {
    past.userEnded()
    return session.receive(message)
  }
  session.messages.endAll()
  past.userSaid(text(record(update.content).text) ?? "", text(update.messageId))
}
