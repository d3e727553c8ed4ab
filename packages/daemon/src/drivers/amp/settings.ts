import { homedir } from "node:os"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Host } from "../../core/driver.ts"
import { readRegular } from "../../files/regular-file.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import { mcpPermissions } from "./mcp-permissions.ts"
import type { Permission } from "./native.gen.ts"
import { freeTools } from "./tools.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** What the user has configured: the file we give Amp stands in its place. */
export async function userSettings(env: Variables, { reach, log }: Pick<Host, "reach" | "log">): Promise<Json> {
  const usual = join(env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), ".config"), "amp", "settings.json")
  const files = env.AMP_SETTINGS_FILE ? [env.AMP_SETTINGS_FILE] : [usual, `${usual}c`]
  for (const file of files) {
    try {
      return record(Bun.JSONC.parse((await readRegular(file, limits.settingsFileBytes, reach)).toString("utf8")))
    } catch (error) {
      const missing = SandboxAgentError.is(error) && error.code === "not_found"
      // Amp does not take such a file either. The parser's own words may repeat a secret.
      if (!missing) log("warn", "settings of Amp cannot be read", { file })
    }
  }
  return {}
}

/** The user's settings, with every tool that could do something asked for: what they refuse stays refused. */
export function settingsWith(
  user: Json,
  delegate: string,
  skills: string | undefined,
  servers?: { known: readonly Json[]; brought: readonly { spec: Json }[] },
): Json {
  const refused = list(user["amp.permissions"]).filter((rule) => record(rule).action === "reject")
  const paths = [text(user["amp.skills.path"]), skills].filter((path) => path !== undefined && path !== "")
  return {
    ...user,
    "amp.permissions": [
      ...refused,
      ...freeTools.map((tool): Permission => ({ tool, action: "allow" })),
      { tool: "*", action: "delegate", to: delegate } satisfies Permission,
    ],
    ...(servers !== undefined && {
      "amp.mcpPermissions": mcpPermissions(
        user["amp.mcpPermissions"],
        servers.known,
        servers.brought.map(({ spec }) => spec),
      ),
    }),
    // It would not even call the delegate.
    "amp.dangerouslyAllowAll": false,
    // The version is chosen by whoever installed it.
    "amp.updates.mode": "disabled",
    ...(paths.length > 0 && { "amp.skills.path": paths.join(":") }),
  }
}
