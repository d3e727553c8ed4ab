import { z } from "zod"
import { InstallBodySchema } from "../install.ts"
import { route } from "./route.ts"

const params = { agent: z.string().min(1).max(128).describe("agent id, such as `claude` or `mock`") }

export const agentRoutes = {
  listAgents: route({
    id: "listAgents",
    method: "GET",
    path: "/v1/agents",
    alsoAt: ["/v2/agents"],
    tag: "agents",
    summary: "Agents, what they can do and whether they are installed",
    answer: "json",
    status: 200,
    errors: [],
    cli: ["agents", "list"],
  }),
  getAgent: route({
    id: "getAgent",
    method: "GET",
    path: "/v1/agents/{agent}",
    tag: "agents",
    summary: "One agent",
    params,
    answer: "json",
    status: 200,
    errors: ["unsupported_agent"],
    cli: ["agents", "get"],
  }),
  installAgent: route({
    id: "installAgent",
    method: "POST",
    path: "/v1/agents/{agent}/install",
    alsoAt: ["/v2/agents/{agent}/install"],
    tag: "agents",
    summary: "Install an agent",
    description:
      "With `Accept: text/event-stream` answers `install.progress {phase, bytes, total}`, then `install.done` or `error`.",
    params,
    body: InstallBodySchema,
    answer: "json-or-sse",
    status: 200,
    errors: ["unsupported_agent", "install_failed", "not_supported"],
    cli: ["agents", "install"],
  }),
  listModes: route({
    id: "listModes",
    method: "GET",
    path: "/v1/agents/{agent}/modes",
    tag: "agents",
    summary: "Agent modes",
    params,
    answer: "json",
    status: 200,
    errors: ["unsupported_agent", "agent_not_installed", "not_supported", "unavailable", "timeout"],
    cli: ["agents", "modes"],
  }),
  listModels: route({
    id: "listModels",
    method: "GET",
    path: "/v1/agents/{agent}/models",
    tag: "agents",
    summary: "Models and their variants",
    params,
    answer: "json",
    status: 200,
    errors: ["unsupported_agent", "agent_not_installed", "not_supported", "unavailable", "timeout"],
    cli: ["agents", "models"],
  }),
}
