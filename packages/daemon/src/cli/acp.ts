import { randomUUID } from "node:crypto"
import { Bridge } from "./acp-bridge.ts"
import { flagsOf } from "./commands.ts"
import { type Connection, connectionOf, namedEndpoint, runningDaemon } from "./connection.ts"
import { type Embedded, startEmbedded } from "./embedded.ts"
import { lastOf, type Parsed, parseFlags } from "./parse.ts"
import { report } from "./problem.ts"
import { UsageError } from "./usage.ts"

/** ACP on stdin and stdout, for editors and test suites; the daemon does the work. */
export async function acpCommand(argv: string[]): Promise<number> {
  const parsed = parseFlags(argv, flagsOf("acp"), ["acp"])
  if (parsed.positionals.length > 0) throw new UsageError("`acp` takes no argument: name the agent by --agent", ["acp"])
  try {
    const { connection, embedded } = await daemonFor(parsed)
    const stop = new AbortController()
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort())
    try {
      const bridge = new Bridge(connection, `stdio-${randomUUID()}`, lastOf(parsed, "agent"), stop)
      return await bridge.run(process.stdin)
    } finally {
      await embedded?.stop()
    }
  } catch (error) {
    return await report(error, false)
  }
}

/** The one that is named, else the one that runs, else one that ends with this command. */
async function daemonFor(parsed: Parsed): Promise<{ connection: Connection; embedded?: Embedded }> {
  const { env } = process
  if (namedEndpoint(parsed, env) !== undefined || runningDaemon(parsed, env) !== undefined)
    return { connection: await connectionOf(parsed, env) }
  const embedded = await startEmbedded(lastOf(parsed, "data-dir"))
  return { connection: embedded.connection, embedded }
}
