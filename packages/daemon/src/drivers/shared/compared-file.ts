import { callLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Confinement } from "../../files/confinement.ts"
import { readRegular } from "../../files/regular-file.ts"

/** What a file holds before a tool changes it. `undefined`: there is no such file; `null`: not one to compare. */
export async function contentBefore(path: string, reach: Confinement): Promise<string | undefined | null> {
  try {
    return (await readRegular(path, callLimits.comparedBytes, reach)).toString("utf8")
  } catch (error) {
    return SandboxAgentError.is(error) && error.code === "not_found" ? undefined : null
  }
}
