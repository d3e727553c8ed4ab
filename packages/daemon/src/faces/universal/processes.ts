import { processLimits } from "@sandbox-agent/schema/process-limits"
import { assertMayStart } from "../../core/rights.ts"
import type { Handlers } from "../http/router.ts"
import type { Services } from "../services.ts"
import { type TerminalHandlers, terminalHandlers } from "./terminals.ts"

type ProcessHandlers = Pick<
  Handlers,
  | "runProcess"
  | "getProcessConfig"
  | "setProcessConfig"
  | "startProcess"
  | "listProcesses"
  | "getProcess"
  | "waitForProcess"
  | "getProcessLogs"
  | "writeProcessInput"
  | "signalProcess"
  | "stopProcess"
  | "killProcess"
  | "deleteProcess"
>

/** A kill is quick; who wants to know more waits. */
const killWaitMs = 1_000

const asksForStream = (request: Request) => /text\/event-stream/.test(request.headers.get("accept") ?? "")

/** Everything behind these is loaded when it is first asked for. */
export function processHandlers(services: Services): ProcessHandlers & TerminalHandlers {
  const { clients, processes, stalled, log } = services
  const mayStart = (request: Request, what: string) => assertMayStart(services, what, clients.of(request))
  const view = () => import("../../host/processes/view.ts")
  /** For whoever may change it. */
  const mine = async (id: string, request: Request, what: string) => {
    await mayStart(request, what)
    return (await processes()).get(id)
  }
  return {
    ...terminalHandlers(services),
    runProcess: async ({ body, request, requestId }) => {
      await mayStart(request, "run a program")
      const all = await processes()
      if (!asksForStream(request)) return all.run(body, request.signal)
      const { runResponse } = await import("./run-stream.ts")
      const reader = { request, requestId, stalled, log }
      return runResponse(all.runStream(body, request.signal), reader)
    },
    getProcessConfig: async () => (await processes()).config,
    setProcessConfig: async ({ body, request }) => {
      await mayStart(request, "change the bounds of processes")
      return (await processes()).configure(body)
    },
    startProcess: async ({ body, request }) => {
      await mayStart(request, "start a program")
      const process = await (await processes()).start(body)
      return (await view()).viewOf(process)
    },
    listProcesses: async ({ query }) => {
      const { viewOf } = await view()
      const all = (await processes()).list().map(viewOf)
      return { processes: all.filter(({ owner }) => query.owner === undefined || owner === query.owner) }
    },
    getProcess: async ({ params }) => (await view()).viewOf((await processes()).get(params.id)),
    waitForProcess: async ({ params, query, request }) => {
      const process = (await processes()).get(params.id)
      const { endWithin, viewOf } = await view()
      await endWithin(process, query.waitMs ?? processLimits.waitMs, request.signal)
      return viewOf(process)
    },
    getProcessLogs: async ({ params, query, request }) => {
      const process = (await processes()).get(params.id)
      const { beginningOf, logStream, logsResponse } = await import("./process-logs.ts")
      const wanted = { stream: query.stream ?? "combined", ...beginningOf(request, query) }
      const follows = query.follow ?? asksForStream(request)
      return follows ? logStream(process, wanted, request, stalled) : logsResponse(process, wanted)
    },
    writeProcessInput: async ({ params, body, request }) => {
      await mayStart(request, "write to a program")
      return { bytesWritten: await (await processes()).write(params.id, body) }
    },
    signalProcess: async ({ params, body, request }) => {
      const process = await mine(params.id, request, "signal a program")
      process.assertRunning().signal(body.signal)
      return (await view()).viewOf(process)
    },
    stopProcess: async ({ params, query, request }) => {
      const process = await mine(params.id, request, "stop a program")
      process.program?.signal("SIGTERM")
      const { endWithin, viewOf } = await view()
      await endWithin(process, query.waitMs ?? 0, request.signal)
      return viewOf(process)
    },
    killProcess: async ({ params, query, request }) => {
      const process = await mine(params.id, request, "kill a program")
      void process.program?.kill()
      const { endWithin, viewOf } = await view()
      await endWithin(process, query.waitMs ?? killWaitMs, request.signal)
      return viewOf(process)
    },
    deleteProcess: async ({ params, query, request }) => {
      await mayStart(request, "forget a program")
      await (await processes()).delete(params.id, query.force ?? false)
      return new Response(null, { status: 204 })
    },
  }
}
