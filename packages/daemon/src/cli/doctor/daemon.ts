import { shellWord } from "@sandbox-agent/schema/shell-word"
import type { ServerConfig } from "../config.ts"
import { defaultDataDir } from "../config-file.ts"
import { daemonLog, liveDaemon } from "../daemon-file.ts"
import { isHealthy } from "../health.ts"
import { version } from "../version.ts"
import { type Finding, findingsOf, messageOf } from "./finding.ts"

const { ok, warning, failed } = findingsOf("daemon")

/** The daemon of this data directory, or whether one could be started. */
export async function daemonFindings({ dataDir, host, port }: ServerConfig): Promise<Finding[]> {
  const own = ok("version", `sandbox-agent ${version}, ${process.platform} ${process.arch}`)
  // Without it another command would look for the daemon of the usual directory.
  const where = dataDir === defaultDataDir(process.env) ? "" : ` --data-dir ${shellWord(dataDir)}`
  const running = liveDaemon(dataDir)
  if (running === undefined)
    return [own, ok("running", `no; \`sandbox-agent daemon start${where}\` starts it`), portFinding(host, port)]
  const at = `${running.url} (pid ${running.pid})`
  const restart = `Restart it: \`sandbox-agent daemon stop${where}\`, then \`sandbox-agent daemon start${where}\`.`
  if (!(await isHealthy(running.url)))
    return [own, failed("running", `the daemon at ${at} does not answer`, `See ${daemonLog(dataDir)}. ${restart}`)]
  if (running.version !== version)
    return [own, warning("running", `${at} is version ${running.version}, this program is ${version}`, restart)]
  return [own, ok("running", at)]
}

/** Tried by listening: what else could tell would be wrong in some sandbox. */
function portFinding(host: string, port: number): Finding {
  try {
    const socket = Bun.listen({ hostname: host, port, exclusive: true, socket: { data: () => {} } })
    socket.stop(true)
    return ok("port", port === 0 ? "any free port" : `${port} is free`)
  } catch (error) {
    const hint = "Another program may listen there: choose another --port, or --port 0 for a free one."
    return failed("port", `cannot listen on ${host}:${port}: ${messageOf(error)}`, hint)
  }
}
