import { callJson } from "./client.ts"
import type { Connection } from "./connection.ts"
import { installEvents } from "./install-over.ts"
import { note, printable, terminalOf } from "./print.ts"
import { ProgressPrinter } from "./progress.ts"

interface Known {
  installed?: boolean
  version?: string
}

/** The install that a session would bring along, shown as it goes: else a first session is minutes of silence. */
export async function installFirst(connection: Connection, agent: string, version?: string): Promise<void> {
  const path = `/v1/agents/${encodeURIComponent(agent)}`
  // What is wrong with the agent is told by whoever makes the session.
  const known = await callJson<Known>(connection, { method: "GET", path }).catch((): Known => ({}))
  const differs = version !== undefined && known.installed === true && known.version !== version
  if (known.installed !== false && !differs) return
  const printer = new ProgressPrinter(terminalOf(process.stderr), printable(agent))
  try {
    for await (const event of installEvents(connection, agent, { version }))
      if (event.type === "install.progress") await printer.show(event)
      else if (event.type === "install.done") {
        await printer.clear()
        await note(`${printable(agent)} ${event.version ?? ""} installed`.replace(/ +/g, " "))
      }
  } finally {
    await printer.clear()
  }
}
