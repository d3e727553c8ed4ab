import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { bytesOf } from "../../core/blobs.ts"
import type { PassthroughSettings } from "../../core/driver.ts"
import type { Session } from "../../core/session.ts"
import type { Acp } from "./acp.ts"
import type { Settings, Sources } from "./projection/sources.ts"

export function settingsOf({ record }: Session): Settings {
  const { agentMode, permissionMode, model, variant } = record
  return { agentMode, permissionMode, model, variant }
}

/** What can be chosen in the agent's own words: of the agent as it runs, else as it was when it was asked. */
export const passthroughSettingsOf = (
  s: Session,
  catalog: { passthrough?: PassthroughSettings },
): PassthroughSettings | undefined => s.native?.passthrough?.settings() ?? catalog.passthrough

/** What events of a session name and do not hold. */
export function sourcesOf(acp: Pick<Acp, "services" | "catalogs">, s: Session): Sources {
  return {
    image: (blob) => {
      const bytes = bytesOf(s, blob)
      if (bytes === undefined || bytes.length > acpLimits.imageBytes) return undefined
      return Buffer.from(bytes).toString("base64")
    },
    options: () => {
      const catalog = acp.catalogs.known(s.record.agent)
      return catalog && { settings: settingsOf(s), catalog, passthrough: passthroughSettingsOf(s, catalog) }
    },
  }
}
