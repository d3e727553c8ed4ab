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
    description:
      "Built-in agents, agents of the ACP registry and those that were added. Versions are asked for with each request.",
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
    description: "The same as in the list.",
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
    errors: [
      "unsupported_agent",
      "install_failed",
      "not_supported",
      "invalid_request",
      "permission_denied",
      "unavailable",
    ],
    cli: ["agents", "install"],
  }),
  listModes: route({
    id: "listModes",
    method: "GET",
    path: "/v1/agents/{agent}/modes",
    tag: "agents",
    summary: "Agent modes",
    description:
      "As in `agentMode` of a session. `build` is always there, and is the agent's default. Modes that change what the agent asks for are permission modes, and are not listed.",
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
    description: "As in `model` and `variant` of a session. The agent is asked, and may need a login to tell.",
    params,
    answer: "json",
    status: 200,
    errors: ["unsupported_agent", "agent_not_installed", "not_supported", "unavailable", "timeout"],
    cli: ["agents", "models"],
  }),
}
