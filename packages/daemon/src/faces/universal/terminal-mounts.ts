import { terminalPaths, terminalQuery } from "@sandbox-agent/schema/contract/mounted"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { assertMayStart } from "../../core/rights.ts"
import type { Guard } from "../http/guard.ts"
import { queryOf } from "../http/input.ts"
import { type Mount, pathOf } from "../http/router.ts"
import type { Services } from "../services.ts"

export interface TerminalOptions {
  /** The public client puts its token into the address: taken also by a daemon that others reach. */
  allowUrlToken: boolean
}

/** The two places where viewers of terminals connect. Open: who may come is decided here, by ticket or token. */
export function terminalMounts(services: Services, guard: Guard, options: TerminalOptions): Mount[] {
  return [mount(terminalPaths.terminal, false), mount(terminalPaths.public, true)]

  function mount(path: string, isPublic: boolean): Mount {
    const at = path.split("/").indexOf("{id}")
    return {
      path,
      open: true,
      handle: async (request, upgrade) => {
        if (request.method !== "GET")
          throw new SandboxAgentError("method_not_allowed", "a terminal takes GET alone", { allow: ["GET"] })
        const id = pathOf(request).split("/")[at] ?? ""
        const all = await services.processes()
        const query = queryOf(request.url, isPublic ? terminalQuery : ["ticket"])
        if (query.ticket === undefined || !all.tickets.redeem(query.ticket, id)) checkToken(request, query.access_token)
        await assertMayStart(services, "look at a terminal", services.clients.of(request))
        const process = all.getTerminal(id)
        if (request.headers.get("upgrade")?.toLowerCase() !== "websocket")
          throw new SandboxAgentError("invalid_request", "this takes a WebSocket: send `Upgrade: websocket`")
        const { TerminalSocket } = await import("./terminal-socket.ts")
        TerminalSocket.assertRoom(process)
        const offered = request.headers
          .get("sec-websocket-protocol")
          ?.split(",")
          .map((name) => name.trim())
        // One that has the token in it is never said back.
        const chosen = offered?.find((name) => !name.startsWith("sandboxagent.token."))
        const headers = chosen === undefined ? undefined : { "sec-websocket-protocol": chosen }
        if (!upgrade(request, new TerminalSocket(process, isPublic), headers))
          throw new SandboxAgentError("invalid_request", "the connection cannot become a WebSocket")
        // Never sent: the connection is a WebSocket by now.
        return new Response(null)
      },
    }
  }

  function checkToken(request: Request, inAddress: string | undefined): void {
    if (inAddress === undefined) return guard.checkToken(request)
    if (!guard.onLoopback && !options.allowUrlToken)
      throw new SandboxAgentError("permission_denied", "the token may not stand in an address", {
        hint: "Use a ticket (POST /v1/terminals/{id}/ticket), or start the daemon with --allow-url-token.",
      })
    if (guard.options.token !== undefined && !guard.isToken(inAddress))
      throw new SandboxAgentError("token_invalid", "the token is wrong")
  }
}
