import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { InstallRequest } from "@sandbox-agent/schema/install"
import { callJson } from "./client.ts"
import type { Connection } from "./connection.ts"
import { withoutNext } from "./hints.ts"
import { installEvents } from "./install-over.ts"
import { note, printable, terminalOf } from "./print.ts"
import { ProgressPrinter } from "./progress.ts"

type ForSession = NonNullable<InstallRequest["forSession"]>

/** What of a session decides whether its agent can log in. */
export const forSessionOf = ({ env, directory }: ForSession): ForSession => ({ env, directory })

interface Known {
  installed?: boolean
  version?: string
}

/**
 * The install that a session would bring along, shown as it goes: else a first session is minutes of silence. What the
 * session lacks to log in with is said before hundreds of megabytes are fetched. Quiet where programs read the output.
 */
export async function installFirst(
  connection: Connection,
  agent: string,
  { version, forSession }: Pick<InstallRequest, "version" | "forSession">,
  quiet = false,
): Promise<void> {
  const path = `/v1/agents/${encodeURIComponent(agent)}`
  // What is wrong with the agent is told by whoever makes the session.
  const known = await callJson<Known>(connection, { method: "GET", path }).catch((): Known => ({}))
  const differs = version !== undefined && known.installed === true && known.version !== version
  if (known.installed !== false && !differs) return
  const printer = new ProgressPrinter(terminalOf(process.stderr), printable(agent))
  try {
    for await (const event of installEvents(connection, agent, { version, forSession }))
      if (quiet) continue
      else if (event.type === "install.progress") await printer.show(event)
      else if (event.type === "install.done") {
        await printer.clear()
        await note(`${printable(agent)} ${event.version ?? ""} installed`.replace(/ +/g, " "))
        for (const one of event.notes ?? []) await note(`${printable(agent)}: ${printable(one)}`)
      }
  } catch (error) {
    throw missingLogin(error)
  } finally {
    await printer.clear()
  }
}

/** There is no session yet that could have a next message. */
function missingLogin(error: unknown): unknown {
  if (!SandboxAgentError.is(error) || error.code !== "unavailable" || typeof error.context.hint !== "string")
    return error
  return new SandboxAgentError(error.code, error.detail, { ...error.context, hint: withoutNext(error.context.hint) })
}
