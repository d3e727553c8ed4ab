import { chmodSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type Problem, SandboxAgentError } from "@sandbox-agent/schema/error"
import { peerCredentials } from "../linux/peer-credentials.ts"
import type { createLogger } from "../log-output.ts"
import { stateOf } from "../supervisor/proc.ts"

/** Where commands of the same user get the token of a running daemon. */
export const tokenSocket = (dataDir: string): string => join(dataDir, "daemon.sock")

/** A client that connects and says nothing is not kept. */
const silentSeconds = 5

/** What is answered on it: one of these, as one line, to whoever says something. */
export type TokenAnswer = { token: string | undefined } | { problem: Problem }

export interface TokenSocketOptions {
  dataDir: string
  token: string | undefined
  /** What is known of a process that is one of an agent's. */
  agentProcess(pid: number): { program?: string | undefined; owner?: string | undefined } | undefined
  log: ReturnType<typeof createLogger>
}

/** Hands the token out, in place of a file that every process of this user could read. Returns how to end it. */
export function openTokenSocket(options: TokenSocketOptions): () => void {
  const { dataDir, token, log } = options
  const path = tokenSocket(dataDir)
  const close = () => rmSync(path, { force: true })
  close() // left by one that was killed: the data directory is ours alone
  try {
    const server = Bun.listen({
      unix: path,
      socket: {
        open: (socket) => socket.timeout(silentSeconds),
        // What is said does not matter; a client that is answered before it spoke would take that for a failed connection.
        data: (socket) => {
          socket.end(`${JSON.stringify(answerTo((socket as unknown as { fd: number }).fd))}\n`)
        },
        timeout: (socket) => {
          socket.terminate()
        },
        error: (_, error) => log("debug", "a connection to the token's socket failed", { error: String(error) }),
      },
    })
    chmodSync(path, 0o600)
    return () => {
      server.stop(true)
      close()
    }
  } catch (error) {
    log("warn", "no socket for the token: commands of this machine need --token", { path, error: String(error) })
    return close
  }

  function answerTo(fd: number): TokenAnswer {
    try {
      assertMayHave(fd)
      return { token }
    } catch (error) {
      const known = SandboxAgentError.is(error) ? error : new SandboxAgentError("internal", String(error))
      return { problem: known.toProblem() }
    }
  }

  /** Elsewhere than on Linux the modes of socket and folder decide: other users cannot connect. */
  function assertMayHave(fd: number): void {
    if (process.platform !== "linux") return
    const { pid, uid } = peerCredentials(fd)
    const agent = pid === 0 ? undefined : options.agentProcess(pid)
    // One that is gone may have left its connection to anybody. Looked at last: while it was there, its family was seen.
    const isGone = pid !== 0 && agent === undefined && stateOf(pid) === undefined
    if (uid === process.geteuid?.() && agent === undefined && !isGone) return
    log("warn", "the token was asked for and not given", { pid, uid, ...agent })
    throw new SandboxAgentError("permission_denied", refusal(pid, uid, agent), {
      hint: "Ask from a shell of the user who started the daemon.",
    })
  }
}

function refusal(pid: number, uid: number, agent: ReturnType<TokenSocketOptions["agentProcess"]>): string {
  if (agent !== undefined)
    return `process ${pid} (${agent.program ?? "unknown"}) belongs to an agent of this daemon, and agents do not get its token`
  const daemonUid = process.geteuid?.()
  return uid === daemonUid
    ? `process ${pid} connected and is gone`
    : `the token of this daemon is for its own user (${daemonUid}), not for user ${uid}`
}
