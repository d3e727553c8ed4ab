import { randomBytes } from "node:crypto"
import { fstatSync } from "node:fs"
import { intervalsWith } from "@sandbox-agent/schema/intervals"
import { type Daemon, startDaemon } from "../daemon.ts"
import { createLogger } from "../log-output.ts"
import {
  agentDirOf,
  agentPathsOf,
  assertAgentUser,
  assertPlaces,
  resolveServerConfig,
  type ServerConfig,
} from "./config.ts"
import { type DaemonRecord, removeDaemonFile, writeDaemonFile } from "./daemon-file.ts"
import { hideToken } from "./hide-token.ts"
import { processStartTime } from "./process-identity.ts"
import { selfCommand } from "./self.ts"
import { envOf } from "./server-flags.ts"
import { openTokenSocket } from "./token-socket.ts"
import { version } from "./version.ts"

/** Runs the daemon until it is told to stop. */
export async function serverCommand(argv: string[]): Promise<number> {
  const config = resolveServerConfig(argv, process.env)
  assertPlaces(config)
  assertAgentUser(config)
  const made = config.token === undefined && !config.noToken
  // A copy: where it came from is overwritten.
  const token = config.noToken ? undefined : Buffer.from(config.token ?? randomBytes(24).toString("hex")).toString()
  const isHidden = config.token === undefined || hideToken(token ?? "", "--token", envOf("token"))
  const log = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    secrets: token === undefined ? [] : [token],
    write: (line) => process.stderr.write(line),
  })
  // A fault in one session must not take the others down: their logs are consistent at every commit.
  process.on("unhandledRejection", (reason) =>
    log("error", "unhandled rejection", { error: String(reason instanceof Error ? reason.stack : reason) }),
  )
  process.on("uncaughtException", (error) => log("error", "uncaught exception", { error: String(error.stack) }))
  for (const warning of config.warnings) log("warn", warning)
  if (!isHidden) log("debug", "the token stays readable where it was given: in the arguments or the environment")
  const intervals = intervalsWith(config.interval)
  const daemon = await startDaemon({
    store: { kind: config.store, directory: config.dataDir, fsync: config.fsync, maxBytes: config.maxStoreBytes },
    host: config.host,
    port: config.port,
    token,
    closedDocs: config.closedDocs,
    allowUrlToken: config.allowUrlToken,
    allowHosts: config.allowHost,
    cors: {
      origins: config.corsAllowOrigin,
      methods: config.corsAllowMethod,
      headers: config.corsAllowHeader,
      credentials: config.corsAllowCredentials,
    },
    self: selfCommand(),
    agents: {
      paths: agentPathsOf(config),
      sources: config.installSource as ("npm" | "vendor")[],
      ...(config.agentsFile !== undefined && { file: config.agentsFile }),
    },
    fsRoots: config.fsRoot,
    ...(config.agentUser !== undefined && {
      agentUser: { name: config.agentUser, directory: agentDirOf(config) ?? config.dataDir },
    }),
    defaultAgent: config.defaultAgent,
    retention: { days: config.retentionDays, bytes: config.retentionBytes },
    idleStopMs: config.idleStopMs,
    stalledReaderSeconds: config.stalledReaderSeconds,
    intervals,
    version,
    log,
  })
  const { shutdownMs } = intervals
  // Before anybody can find us: whoever does may stop us at once.
  const stopped = stopSignal()
  const record = {
    pid: process.pid,
    startTime: processStartTime(process.pid) ?? "",
    url: daemon.url,
    version,
    shutdownMs,
  }
  const found = config.store === "sqlite" ? beFound(config.dataDir, { ...record, token }, daemon, log) : undefined
  // In the file of the log, as with `daemon start`, it is a line of it: others read that line by line. A token that was
  // made here is known to nobody else, and is always shown.
  if (!made && isSameFile(1, 2))
    log("info", "listening", { url: daemon.url, pid: process.pid, version, data: config.dataDir })
  else process.stdout.write(greeting(daemon, config, made ? token : undefined))
  await stopped
  log("info", "stopping")
  await daemon.stop()
  found?.()
  return 0
}

/** By commands of the same user: where it is, and its token. Returns how to end that. */
function beFound(
  dataDir: string,
  { token, ...record }: Omit<DaemonRecord, "tokenNeeded"> & { token: string | undefined },
  { agentProcess, writeBeside }: Daemon,
  log: ReturnType<typeof createLogger>,
): () => void {
  const close = openTokenSocket({ dataDir, token, agentProcess, log })
  try {
    writeBeside(() => writeDaemonFile(dataDir, { ...record, tokenNeeded: token !== undefined }))
  } catch (error) {
    // The disk is full: the sessions are served all the same.
    log("warn", "other commands will not find this daemon by its data directory", { error: String(error) })
  }
  return () => {
    close()
    removeDaemonFile(dataDir, record.pid)
  }
}

/** Where to go. A token that was made here is shown once, and only here. */
function greeting({ url, issueTicket }: Daemon, config: ServerConfig, made: string | undefined): string {
  // Only where the token stands beside it: what is printed may be kept somewhere.
  const ticket = made === undefined ? "" : `#ticket=${issueTicket()}`
  const lines = [
    `Sandbox Agent ${version} listening on ${url}`,
    `  open       ${url}/ui/${ticket}`,
    `  reference  ${url}/docs`,
  ]
  if (config.noToken) lines.push("  token      none: anyone who reaches this address can use it")
  else if (made !== undefined) lines.push(`  token      ${made}`)
  lines.push(config.store === "memory" ? "  data       in memory, lost at exit" : `  data       ${config.dataDir}`)
  return `${lines.join("\n")}\n`
}

function isSameFile(one: number, other: number): boolean {
  try {
    const [a, b] = [fstatSync(one), fstatSync(other)]
    return a.isFile() && a.dev === b.dev && a.ino === b.ino
  } catch {
    return false
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    const onSignal = () => {
      // A second signal does not wait: the watcher takes care of what is left.
      if (asked) process.exit(130)
      asked = true
      resolve()
    }
    process.on("SIGTERM", onSignal)
    process.on("SIGINT", onSignal)
  })
}
