import { acpRoutes } from "./acp.ts"
import { agentRoutes } from "./agents.ts"
import { configRoutes } from "./config.ts"
import { fileRoutes } from "./files.ts"
import { messageRoutes } from "./messages.ts"
import { processRoutes } from "./processes.ts"
import { restoreRoutes } from "./restore.ts"
import type { Route } from "./route.ts"
import { sessionRoutes } from "./sessions.ts"
import { systemRoutes } from "./system.ts"
import { terminalRoutes } from "./terminals.ts"

/** The endpoints of the universal API, by the file that declares them. */
export const contractGroups = {
  system: systemRoutes,
  acp: acpRoutes,
  agents: agentRoutes,
  sessions: sessionRoutes,
  restore: restoreRoutes,
  messages: messageRoutes,
  processes: processRoutes,
  terminals: terminalRoutes,
  files: fileRoutes,
  config: configRoutes,
}
export type Group = keyof typeof contractGroups

/** Every endpoint of the universal API, by id. */
export const contract = {
  ...systemRoutes,
  ...acpRoutes,
  ...agentRoutes,
  ...sessionRoutes,
  ...restoreRoutes,
  ...messageRoutes,
  ...processRoutes,
  ...terminalRoutes,
  ...fileRoutes,
  ...configRoutes,
}

export type Contract = typeof contract
export type RouteId = keyof Contract
export const routes: readonly Route[] = Object.values(contract)
