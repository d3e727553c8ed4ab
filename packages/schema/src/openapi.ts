import { contract } from "./contract/contract.ts"
import { mounted, terminalSockets } from "./contract/mounted.ts"
import type { Route } from "./contract/route.ts"
import { acpOperation, addAcpMessages } from "./openapi/acp.ts"
import { addCodeSamples } from "./openapi/code-samples.ts"
import { Components, type Json } from "./openapi/components.ts"
import { examples } from "./openapi/examples.ts"
import { operation } from "./openapi/operation.ts"
import { acpExamples, addSamples } from "./openapi/samples.ts"
import { socketOperation } from "./openapi/socket.ts"
import { addDiscriminators, addEvents } from "./openapi/unions.ts"
import { describeAnswers } from "./openapi/words/apply.ts"
import { ProblemSchema } from "./problem.ts"

/** In the order of the reference. */
const tags = {
  system: "The daemon itself: health, contract, metrics, and the lifecycle of all sessions.",
  agents: "Which agents there are, what they can do, and how they are installed.",
  sessions: "Conversations with an agent: create, change, interrupt, end, resume, fork, and read as a transcript.",
  messages: "What users say to an agent.",
  events: "The log of a session, in pages or as a stream.",
  requests: "What an agent asks a person: permissions and questions.",
  processes: "Programs on the daemon's machine, run to their end or kept running.",
  terminals: "Programs with a screen, which any number of viewers share.",
  files: "Files of the daemon's machine, of any size.",
  config: "MCP servers and skills that every session of a directory gets.",
  acp: "The Agent Client Protocol over HTTP and WebSocket, for every agent.",
}

/** The contract as an OpenAPI 3.1 document. Made on first use: the daemon does not need it to serve. */
export function buildOpenApi(version: string): Json {
  const components = new Components()
  const paths: Record<string, Record<string, Json>> = {}
  const at = (path: string): Record<string, Json> => {
    paths[path] ??= {}
    return paths[path]
  }
  for (const route of Object.values(contract) as Route[])
    for (const path of [route.path, ...(route.alsoAt ?? [])])
      at(path)[route.method.toLowerCase()] = operation(route, path, components)
  for (const one of mounted)
    for (const path of [one.path, ...(one.alsoAt ?? [])]) at(path)[one.method.toLowerCase()] = acpOperation(one, path)
  for (const one of terminalSockets)
    for (const path of [one.path, ...(one.alsoAt ?? [])])
      at(path)[one.method.toLowerCase()] = socketOperation(one, path)
  components.of(ProblemSchema, "output")
  addEvents(components)
  components.add("JsonValue", { description: "Any JSON, passed on as it came." })
  addAcpMessages(components)
  addDiscriminators(components)
  describeAnswers(components)
  for (const [name, shown] of Object.entries({ ...examples, ...acpExamples }))
    Object.assign(components.schemas[name] ?? {}, { examples: shown })
  addSamples(paths, components.schemas)
  addCodeSamples(paths)
  return {
    openapi: "3.1.0",
    info: {
      title: "Sandbox Agent",
      version,
      description: "One HTTP API, one event stream and one permission story for every coding agent.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "http://127.0.0.1:2468", description: "where a daemon listens unless it is told otherwise" }],
    security: [{ bearer: [] }, { sandboxToken: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        sandboxToken: { type: "apiKey", in: "header", name: "x-sandbox-token" },
      },
    },
  }
}
