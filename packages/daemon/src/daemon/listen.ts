import { randomBytes } from "node:crypto"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Server } from "bun"
import type { AcpFace } from "../faces/acp/face.ts"
import { bodies } from "../faces/http/body.ts"
import { Guard } from "../faces/http/guard.ts"
import { Router } from "../faces/http/router.ts"
import { type SocketEnd, socketHandler, upgradeOn } from "../faces/http/socket.ts"
import { opencodeFace } from "../faces/opencode/opencode.ts"
import { homePage } from "../faces/pages/home.ts"
import { inspectorPage } from "../faces/pages/inspector.ts"
import type { Services } from "../faces/services.ts"
import { agentHandlers } from "../faces/universal/agents.ts"
import { configHandlers } from "../faces/universal/config.ts"
import { filesOnDemand } from "../faces/universal/files.ts"
import { messageHandlers } from "../faces/universal/messages.ts"
import { processHandlers } from "../faces/universal/processes.ts"
import { sessionHandlers } from "../faces/universal/sessions.ts"
import { systemHandlers } from "../faces/universal/system.ts"
import { terminalMounts } from "../faces/universal/terminal-mounts.ts"
import type { DaemonOptions } from "./options.ts"

/** Opens the port with every route of every face. */
export function listen(
  options: DaemonOptions,
  services: Services,
  acp: AcpFace,
  onRequest: () => void,
  onFault: (thrown: unknown) => void,
): Server<SocketEnd> {
  const { host, port, token, allowHosts, cors, log } = options
  // Of this run and not of the data directory: a request id must not come again after a restart.
  const run = randomBytes(3).toString("hex")
  bodies.deadlineMs = options.intervals.requestBodyMs
  const guard = new Guard({ token, host, allowHosts, cors })
  const terminals = terminalMounts(services, guard, { allowUrlToken: options.allowUrlToken ?? false })
  const mounts = [homePage, inspectorPage(services.stalled), opencodeFace, ...acp.mounts, ...terminals]
  const router = new Router(guard, log, run, mounts, services.stalled)
  router.onRequest = onRequest
  router.onFault = onFault
  if (options.closedDocs) router.closed = ["getDocs", "getOpenApi"]
  const handlers = {
    ...systemHandlers(services),
    ...agentHandlers(services),
    ...sessionHandlers(services),
    ...messageHandlers(services),
    ...processHandlers(services),
    ...filesOnDemand(services),
    ...configHandlers(services),
    ...acp.handlers,
  }
  try {
    return Bun.serve({
      hostname: host,
      port,
      // Bun's own error page shows source code to whoever asks.
      development: false,
      // With that Bun would share the port with whoever else listens there: each would get some of the other's requests.
      reusePort: false,
      // For connections on which nobody waits: requests are held until they have their answer, and of event streams
      // `StalledReaders` closes those whose client takes nothing.
      idleTimeout: services.stalled.idleSeconds,
      // Sizes are checked where the body is read, so that the answer is a problem and not a cut connection.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      routes: router.routes(handlers),
      fetch: (request, server) => router.fallback(request, upgradeOn(server)),
      websocket: socketHandler,
    })
  } catch (error) {
    const inUse = /EADDRINUSE|in use/i.test(String(error))
    if (inUse)
      throw new SandboxAgentError("unavailable", `cannot listen on ${host}:${port}: port ${port} is in use`, {
        hint: "Choose another with --port, or 0 for any free one; `sandbox-agent daemon status` tells whether a daemon has it.",
      })
    // So Bun tells a name that resolves to nothing, by what the resolver said of it, and an address of another machine.
    if (/ENOENT|EINVAL|EADDRNOTAVAIL/.test(String(error)))
      throw new SandboxAgentError("invalid_request", `--host: ${host} is no address of this machine`, {
        hint: "Give one of its own, or 0.0.0.0 for all of them.",
      })
    throw new SandboxAgentError("unavailable", `cannot listen on ${host}:${port}: ${String(error)}`)
  }
}

export const addressOf = (host: string, port: number): string =>
  `http://${host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host}:${port}`
