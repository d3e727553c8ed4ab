import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { nativeLogin } from "../credentials/login.ts"
import { nativeAgent } from "../drivers/table.ts"
import { callJson } from "./client.ts"
import type { Connection } from "./connection.ts"
import { withoutNext } from "./hints.ts"
import { installEvents } from "./install-over.ts"
import { note, printable, terminalOf } from "./print.ts"
import { ProgressPrinter } from "./progress.ts"

/** What of a session decides about its agent. */
export interface Wanted {
  readonly version?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly directory?: string | undefined
}

interface Known {
  installed?: boolean
  version?: string
}

/** The install that a session would bring along, shown as it goes: else a first session is minutes of silence. */
export async function installFirst(connection: Connection, agent: string, wanted: Wanted = {}): Promise<void> {
  const { version } = wanted
  const path = `/v1/agents/${encodeURIComponent(agent)}`
  // What is wrong with the agent is told by whoever makes the session.
  const known = await callJson<Known>(connection, { method: "GET", path }).catch((): Known => ({}))
  const differs = version !== undefined && known.installed === true && known.version !== version
  if (known.installed !== false && !differs) return
  if (connection.own && known.installed === false) assertLogin(agent, wanted)
  const printer = new ProgressPrinter(terminalOf(process.stderr), printable(agent))
  try {
    for await (const event of installEvents(connection, agent, { version }))
      if (event.type === "install.progress") await printer.show(event)
      else if (event.type === "install.done") {
        await printer.clear()
        await note(`${printable(agent)} ${event.version ?? ""} installed`.replace(/ +/g, " "))
        for (const one of event.notes ?? []) await note(`${printable(agent)}: ${printable(one)}`)
      }
  } finally {
    await printer.clear()
  }
}

/** A daemon of our own sees what we see: what is missing is said before hundreds of megabytes are fetched. */
function assertLogin(agent: string, { env, directory }: Wanted): void {
  if (nativeAgent(agent)?.credentials === undefined) return
  const { missing } = nativeLogin(agent, { ...process.env, ...env }, directory, "")
  if (missing !== undefined)
    throw new SandboxAgentError("unavailable", missing.detail, { agent, hint: withoutNext(missing.hint) })
}
