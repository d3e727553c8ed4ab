import { ProcessConfigSchema, RunProcessSchema } from "../process.ts"
import { route } from "./route.ts"

const startErrors = ["session_not_found", "conflict", "unavailable"] as const

export const processRoutes = {
  runProcess: route({
    id: "runProcess",
    method: "POST",
    path: "/v1/processes/run",
    tag: "processes",
    summary: "Run a program and wait for its end",
    description:
      "Of long output the beginning and the end are kept. With `Accept: text/event-stream` all output comes as it is written (`log`, data in base64), then `exit`; without `timeoutMs` there is no time limit then. A client that leaves ends the program. It ends with all it started.",
    body: RunProcessSchema,
    bodyRequired: true,
    answer: "json-or-sse",
    status: 200,
    errors: startErrors,
    cli: ["processes", "run"],
    cliArgument: "command",
    cliArguments: "args",
  }),
  getProcessConfig: route({
    id: "getProcessConfig",
    method: "GET",
    path: "/v1/processes/config",
    tag: "processes",
    summary: "Bounds of processes",
    answer: "json",
    status: 200,
    errors: [],
    cli: ["processes", "get-config"],
  }),
  setProcessConfig: route({
    id: "setProcessConfig",
    method: "POST",
    path: "/v1/processes/config",
    tag: "processes",
    summary: "Change the bounds of processes",
    description: "For what starts from now on, until the daemon ends.",
    body: ProcessConfigSchema,
    bodyRequired: true,
    answer: "json",
    status: 200,
    errors: [],
    cli: ["processes", "set-config"],
  }),
}
