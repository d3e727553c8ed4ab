import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { shellWord } from "@sandbox-agent/schema/shell-word"
import { stopCommand } from "@sandbox-agent/schema/stop-command"
import { askToken } from "./ask-token.ts"
import { type Background, logSize, logTail, startBackground } from "./background.ts"
import { flagsOf } from "./commands.ts"
import { agentDirOf, resolveServerConfig, type ServerConfig } from "./config.ts"
import { type DaemonRecord, daemonLog, isAlive, liveDaemon } from "./daemon-file.ts"
import { healthWaitMs, isHealthy, poll } from "./health.ts"
import { assertNoArgument, isSet, lastOf, type Parsed, parseFlags } from "./parse.ts"
import { line, note } from "./print.ts"
import { envOf } from "./server-flags.ts"
import { UsageError } from "./usage.ts"

/** Starts the daemon and waits until it answers. */
export async function daemonStart(argv: string[]): Promise<number> {
  const parsed = parseFlags(argv, flagsOf("daemon", "start"), ["daemon", "start"])
  const args = [
    ...parsed.given.filter((g) => g.flag.name !== "json").map((g) => `--${g.flag.name}=${g.value}`),
    ...parsed.positionals,
  ]
  const config = resolveServerConfig(args, process.env)
  for (const warning of config.warnings) await note(`warning: ${warning}`)
  if (config.store === "memory")
    throw new UsageError("a daemon in memory leaves nothing to find it by; run `sandbox-agent server --store memory`", [
      "daemon",
      "start",
    ])
  const running = liveDaemon(config.dataDir)
  if (running) return alreadyRunning(parsed, config, running)

  // Made here if none was given, since what the server prints goes to the log. Never an argument: `ps` shows those.
  const token = config.noToken ? undefined : (config.token ?? randomBytes(24).toString("hex"))
  const env = { ...process.env }
  delete env[envOf("token")]
  if (token !== undefined) {
    env[envOf("token")] = token
    delete env[envOf("no-token")]
  }
  const from = logSize(config.dataDir)
  let started: Background | undefined
  const interrupted = (): void => {
    if (started !== undefined && started.ended() === undefined) process.kill(started.pid, "SIGTERM")
    void note("interrupted; the daemon was stopped").finally(() => process.exit(130))
  }
  process.once("SIGINT", interrupted)
  const child = startBackground(
    config.dataDir,
    args.filter((arg) => !arg.startsWith("--token=")),
    env,
  )
  started = child
  const record = await poll(healthWaitMs, async () => {
    const found = liveDaemon(config.dataDir)
    if (found && (found.pid === child.pid || child.ended() !== undefined))
      return (await isHealthy(found.url)) ? found : undefined
    return child.ended()
  })
  process.off("SIGINT", interrupted)
  if (typeof record === "object")
    return record.pid === child.pid
      ? printState(parsed, config.dataDir, record, "started")
      : alreadyRunning(parsed, config, record)
  await note(logTail(config.dataDir, from))
  if (typeof record === "number") {
    await note(`error: the daemon ended with exit code ${record}; its log is ${daemonLog(config.dataDir)}`)
    return record || 1
  }
  process.kill(child.pid, "SIGTERM")
  throw new SandboxAgentError("timeout", `the daemon did not answer within ${healthWaitMs / 1000} s; it was stopped`, {
    hint: `see ${daemonLog(config.dataDir)}`,
  })
}

/** One daemon per data directory: what was asked for and is not so must not look as if it were. */
async function alreadyRunning(parsed: Parsed, config: ServerConfig, record: DaemonRecord): Promise<number> {
  const differs = [
    ...(isAsked(parsed, "port") && ![0, portOf(record)].includes(config.port) ? [`port ${config.port}`] : []),
    ...(isAsked(parsed, "token") && (await differsInToken(config, record)) ? ["this token"] : []),
  ]
  if (differs.length > 0)
    throw new SandboxAgentError(
      "conflict",
      `a daemon already runs on ${config.dataDir} at ${record.url} (pid ${record.pid}), not with ${differs.join(" and ")}`,
      { hint: `stop it first with \`${stopCommand(config.dataDir)}\`, or choose another --data-dir` },
    )
  const others = parsed.given.filter(({ flag }) => !["port", "token", "data-dir", "json"].includes(flag.name))
  const names = [...new Set(others.map(({ flag }) => `--${flag.name}`))]
  if (names.length > 0)
    await note(`warning: the daemon runs already; ${names.join(", ")} will count when it is stopped and started again`)
  return await printState(parsed, config.dataDir, record, "already running")
}

async function differsInToken({ token, dataDir }: ServerConfig, { tokenNeeded }: DaemonRecord): Promise<boolean> {
  return token !== (tokenNeeded ? await askToken(dataDir) : undefined)
}

const isAsked = (parsed: Parsed, name: string): boolean =>
  parsed.given.some(({ flag }) => flag.name === name) || Boolean(process.env[envOf(name)])
const portOf = ({ url }: DaemonRecord): number => Number(new URL(url).port)

async function printState(parsed: Parsed, dataDir: string, record: DaemonRecord, state: string): Promise<number> {
  const { pid, url, version, tokenNeeded } = record
  // One that was started in the foreground writes to where it was started.
  const log = existsSync(daemonLog(dataDir)) ? daemonLog(dataDir) : undefined
  if (isSet(parsed, "json")) {
    await line(JSON.stringify({ running: true, state, pid, url, version, dataDir, tokenNeeded, log }))
    return 0
  }
  await line(`sandbox-agent ${version}: ${state} (pid ${pid})`)
  await line(`url: ${url}`)
  // Without it another command would look for the daemon of the usual directory.
  const where = parsed.given.some(({ flag }) => flag.name === "data-dir") ? ` --data-dir ${shellWord(dataDir)}` : ""
  await line(tokenNeeded ? `token: \`sandbox-agent daemon token${where}\` prints it` : "token: none needed")
  if (log !== undefined) await line(`log: ${log}`)
  if (state === "started") await line(`open: \`sandbox-agent daemon open${where}\` shows it in a browser`)
  return 0
}

/** Flags, environment and config file decide which data directory is meant, as for the server. */
export function target(argv: string[], command: string): { parsed: Parsed; dataDir: string } {
  const words = ["daemon", command]
  const parsed = parseFlags(argv, flagsOf(...words), words)
  assertNoArgument(parsed, words, "; did you mean --data-dir?")
  return { parsed, dataDir: dataDirOf(parsed) }
}

export const dataDirOf = (parsed: Parsed): string => configOf(parsed).dataDir

/** Where the daemon of that directory keeps the programs of agents. */
export function programsDirOf(parsed: Parsed): string {
  const config = configOf(parsed)
  return join(agentDirOf(config) ?? config.dataDir, "bin")
}

function configOf(parsed: Parsed): ServerConfig {
  const dir = lastOf(parsed, "data-dir")
  return resolveServerConfig(dir === undefined ? [] : [`--data-dir=${dir}`], process.env)
}

export async function daemonStatus(argv: string[]): Promise<number> {
  const { parsed, dataDir } = target(argv, "status")
  const record = liveDaemon(dataDir)
  if (!record) return await notRunning(parsed, dataDir, 1)
  return await printState(
    parsed,
    dataDir,
    record,
    (await isHealthy(record.url)) ? "running" : "running, but does not answer",
  )
}

/** For what is no command of ours; these ask for it themselves. */
export async function daemonToken(argv: string[]): Promise<number> {
  const { parsed, dataDir } = target(argv, "token")
  const record = liveDaemon(dataDir)
  // What is printed is taken for the token.
  if (!record) return await notRunning(parsed, dataDir, 1, note)
  const token = record.tokenNeeded ? await askToken(dataDir) : undefined
  if (isSet(parsed, "json")) await line(JSON.stringify({ running: true, url: record.url, token }))
  else if (token === undefined) await note("no token is needed")
  else await line(token)
  return 0
}

export async function notRunning(parsed: Parsed, dataDir: string, exit: number, say = line): Promise<number> {
  if (isSet(parsed, "json")) await line(JSON.stringify({ running: false, dataDir }))
  else await say(`not running (data directory ${dataDir})`)
  return exit
}

export async function daemonStop(argv: string[]): Promise<number> {
  const { parsed, dataDir } = target(argv, "stop")
  const record = liveDaemon(dataDir)
  if (!record) return await notRunning(parsed, dataDir, 0)
  // Time for its own shutdown, and as much again.
  const stopWaitMs = (record.shutdownMs ?? limits.shutdownMs) * 2
  const gone = async (signal: NodeJS.Signals): Promise<boolean> => {
    if (isAlive(record)) process.kill(record.pid, signal)
    return (await poll(stopWaitMs, () => (isAlive(record) ? undefined : true))) === true
  }
  const forced = !(await gone("SIGTERM"))
  if (forced && !(await gone("SIGKILL"))) throw new SandboxAgentError("timeout", `process ${record.pid} does not end`)
  if (isSet(parsed, "json")) await line(JSON.stringify({ running: false, stopped: record.pid, forced, dataDir }))
  else
    await line(
      `stopped (pid ${record.pid})${forced ? `; it did not end within ${stopWaitMs / 1000} s and was killed` : ""}`,
    )
  return 0
}
