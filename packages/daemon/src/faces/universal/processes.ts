import { assertMayStart } from "../../core/rights.ts"
import type { Handlers } from "../http/router.ts"
import type { Services } from "../services.ts"

type ProcessHandlers = Pick<Handlers, "runProcess" | "getProcessConfig" | "setProcessConfig">

/** Everything behind these is loaded when it is first asked for. */
export function processHandlers(services: Services): ProcessHandlers {
  const { context, clients, processes, stalled } = services
  const mayStart = (request: Request, what: string) => assertMayStart(context, what, clients.of(request))
  return {
    runProcess: async ({ body, request, requestId }) => {
      await mayStart(request, "run a program")
      const all = await processes()
      if (!/text\/event-stream/.test(request.headers.get("accept") ?? "")) return all.run(body, request.signal)
      const { runResponse } = await import("./run-stream.ts")
      return runResponse(all.runStream(body, request.signal), { request, requestId, stalled, log: context.log })
    },
    getProcessConfig: async () => (await processes()).config,
    setProcessConfig: async ({ body, request }) => {
      await mayStart(request, "change the bounds of processes")
      return (await processes()).configure(body)
    },
  }
}
