import type { Host } from "../../core/driver.ts"
import { type Launcher, programIdentity, sharingKey, sortedVariables } from "../shared/launcher.ts"
import type { ServerHome } from "./server-home.ts"

const settings: Readonly<Record<string, string>> = {
  // Else a model that cannot be reached is tried for ever and the turn never ends.
  "features.unbounded_connection_retries": "false",
  // Questions also outside of plan mode.
  "features.default_mode_request_user_input": "true",
  // Plans are told as they change; newer versions leave the tool out.
  "tools.update_plan": "{enabled=true}",
  // The version is chosen by whoever installed it.
  check_for_update_on_startup: "false",
  suppress_unstable_features_warning: "true",
}

export function launchFlags({ baseUrl }: Pick<ServerHome, "baseUrl">): string[] {
  // The name of the provider stays: a thread belongs to the one it was made with.
  const address = baseUrl === undefined ? {} : { openai_base_url: JSON.stringify(baseUrl) }
  const all = Object.entries({ ...settings, ...address })
  return ["app-server", ...all.flatMap(([name, value]) => ["-c", `${name}=${value}`])]
}

/** Sessions with the same key share a server. Skills belong to a whole server, too. */
export function poolKey(
  launcher: Launcher,
  serverHome: ServerHome,
  host: Pick<Host, "environment">,
  skills: string | undefined,
): string {
  const { home, login, baseUrl } = serverHome
  const variables = sortedVariables(host.environment({ ...launcher.env, ...serverHome.env }))
  return sharingKey([programIdentity(launcher.command), home, login, baseUrl, variables, skills])
}
