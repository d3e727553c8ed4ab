import { randomBytes } from "node:crypto"
import { opencodeLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { unlessAborted } from "../../core/deadline.ts"
import type { Host } from "../../core/driver.ts"
import type { Exit } from "../../core/driver-sink.ts"
import { VersionNotSupported } from "../../core/programs.ts"
import type { Child } from "../../core/supervisor.ts"
import { exited } from "../shared/exited.ts"
import { openMsOf } from "../shared/open-ms.ts"
import type { ServerHooks } from "../shared/pool.ts"
import { Client } from "./client.ts"
import type { Launch } from "./launch.ts"
import { freePort, isTaken } from "./port.ts"

const NO_PORT = /EADDRINUSE|in use|Failed to start server|ServeError/i
const LISTENING = /opencode server listening on (http:\/\/\S+)/
/** OpenCode 2 says it without its name, and speaks another protocol from there on. */
const LISTENING_2 = /^server listening on /

export interface Started {
  readonly child: Child
  readonly client: Client
}

/** Starts `opencode serve` and waits for its line: its socket answers sooner, but what is sent then is never heard. */
export async function startProcess(
  launch: Launch,
  hooks: ServerHooks,
  host: Host,
  onExit: (exit: Exit) => void,
): Promise<Started> {
  const tried = new Set<number>()
  for (let n = 1; ; n++) {
    const port = await freePort(tried)
    tried.add(port)
    try {
      return await listening(launch, port, hooks, host, onExit)
    } catch (error) {
      // Another was faster on that port; each version says so in words of its own, the newest with none.
      if (n >= opencodeLimits.startTries || !(NO_PORT.test(String(error)) || (await isTaken(port)))) throw error
    }
  }
}

async function listening(
  launch: Launch,
  port: number,
  hooks: ServerHooks,
  host: Host,
  onExit: (exit: Exit) => void,
): Promise<Started> {
  const password = randomBytes(24).toString("base64url")
  const ready = Promise.withResolvers<string>()
  host.awaits?.("`opencode serve` to say that it listens")
  let up = false
  const child = host.supervisor.spawn({
    owner: `pool:opencode:${launch.key}`,
    label: "opencode",
    command: [...launch.command, "serve", "--hostname", "127.0.0.1", "--port", String(port)],
    directory: host.home,
    env: { ...launch.env, OPENCODE_SERVER_USERNAME: "opencode", OPENCODE_SERVER_PASSWORD: password },
    gate: () => hooks.room(),
    onLine(line) {
      const url = LISTENING.exec(line)?.[1]
      if (url !== undefined) ready.resolve(url)
      else if (LISTENING_2.test(line)) ready.reject(tooNew())
      else host.log("debug", "opencode said", { line: line.slice(0, 500) })
    },
    onExit(exit) {
      ready.reject(exited("opencode serve", exit))
      if (up) onExit(exit)
    },
  })
  const openMs = openMsOf(host)
  const tooLate = new SandboxAgentError("timeout", `OpenCode did not listen within ${openMs} ms`)
  const late = setTimeout(() => ready.reject(tooLate), openMs)
  try {
    const url = await unlessAborted(ready.promise, hooks.signal)
    up = true
    return { child, client: new Client(url, password) }
  } catch (error) {
    await child.kill()
    throw error
  } finally {
    clearTimeout(late)
  }
}

const tooNew = (): SandboxAgentError =>
  new VersionNotSupported(
    "opencode",
    "this OpenCode serves as version 2 does: this daemon can drive versions below 2.0.0",
  )
