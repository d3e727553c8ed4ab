import { assertMayStart } from "../../core/rights.ts"
import type { Handlers } from "../http/router.ts"
import type { Services } from "../services.ts"

export type TerminalHandlers = Pick<
  Handlers,
  "startTerminal" | "listTerminals" | "getTerminal" | "resizeTerminal" | "makeTerminalTicket" | "closeTerminal"
>

export function terminalHandlers({ log, clients, processes }: Services): TerminalHandlers {
  const mayStart = (request: Request, what: string) => assertMayStart({ log }, what, clients.of(request))
  const view = () => import("../../host/processes/view.ts")
  return {
    startTerminal: async ({ body, request }) => {
      await mayStart(request, "open a terminal")
      const process = await (await processes()).startTerminal(body)
      return (await view()).viewOf(process)
    },
    listTerminals: async () => {
      const { viewOf } = await view()
      const terminals = (await processes()).list().filter(({ record }) => record.tty)
      return { terminals: terminals.map(viewOf) }
    },
    getTerminal: async ({ params }) => (await view()).viewOf((await processes()).getTerminal(params.id)),
    resizeTerminal: async ({ params, body, request }) => {
      await mayStart(request, "resize a terminal")
      return (await processes()).resize(params.id, body)
    },
    makeTerminalTicket: async ({ params, request }) => {
      await mayStart(request, "look at a terminal")
      const all = await processes()
      return all.tickets.issue(all.getTerminal(params.id).record.id)
    },
    closeTerminal: async ({ params, request }) => {
      await mayStart(request, "close a terminal")
      const all = await processes()
      await all.delete(all.getTerminal(params.id).record.id, true)
      return new Response(null, { status: 204 })
    },
  }
}
