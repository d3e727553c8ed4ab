import { contract } from "./contract/contract.ts"
import { mounted, terminalSockets } from "./contract/mounted.ts"
import type { Route } from "./contract/route.ts"
import { acpOperation, addAcpMessages } from "./openapi/acp.ts"
import { Components, type Json } from "./openapi/components.ts"
import { examples } from "./openapi/examples.ts"
import { operation } from "./openapi/operation.ts"
import { socketOperation } from "./openapi/socket.ts"
import { addDiscriminators, addEvents } from "./openapi/unions.ts"
import { ProblemSchema } from "./problem.ts"

/** In the order of the reference. */
const tags = [
  ...["system", "agents", "sessions", "messages", "events", "requests", "processes", "terminals", "files", "config"],
  "acp",
]

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
  for (const [name, shown] of Object.entries(examples))
    Object.assign(components.schemas[name] ?? {}, { examples: shown })
  return {
    openapi: "3.1.0",
    info: {
      title: "Sandbox Agent",
      version,
      description: "One HTTP API, one event stream and one permission story for every coding agent.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    security: [{ bearer: [] }, { sandboxToken: [] }],
    tags: tags.map((name) => ({ name })),
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
