import { discover } from "../../credentials/discover.ts"
import { nativeLogin } from "../../credentials/login.ts"
import { sourceText } from "../../credentials/redact.ts"
import { nativeAgent, nativeAgents } from "../../drivers/table.ts"
import type { Installer } from "../../install/installer.ts"
import type { Located } from "../../install/locate.ts"
import { registryEntries } from "../../registry/agent-registry.ts"
import { entryLogin } from "../../registry/login.ts"
import { type Finding, findingsOf, messageOf } from "./finding.ts"

const { ok, warning, failed } = findingsOf("agents")

/** Which agents are there, in which version, and what they would log in with. */
export async function agentFindings(
  dataDir: string,
  agentsFile: string | undefined,
  installer: Installer,
): Promise<Finding[]> {
  const native = nativeAgents.filter(({ driver }) => driver !== undefined).map(({ id }) => ({ id, entry: undefined }))
  const entries = registryEntries(dataDir, agentsFile).map((entry) => ({ id: entry.id, entry }))
  const looked = await Promise.all(
    [...native, ...entries].map(async ({ id, entry }) => {
      const found = await located(id, installer)
      // Of the many that could be installed only what is there is of interest.
      if (entry !== undefined && "installed" in found && !found.installed) return []
      return [programFinding(id, found), loginFinding(id, entry && entryLogin(entry).credentials)]
    }),
  )
  return looked.flat().filter((finding) => finding !== undefined)
}

async function located(id: string, installer: Installer): Promise<Located | { error: string }> {
  if (nativeAgent(id)?.install === undefined && nativeAgent(id) !== undefined)
    return { installed: true, source: "builtin" }
  try {
    return await installer.locate(id, undefined, "complete")
  } catch (error) {
    return { error: messageOf(error) }
  }
}

function programFinding(id: string, found: Located | { error: string }): Finding {
  const install = `Run \`sandbox-agent install-agent ${id}\`.`
  if ("error" in found) return failed(id, found.error, install)
  if (found.notSupported !== undefined) return failed(id, found.notSupported.detail, found.notSupported.hint)
  if (!found.installed && found.note !== undefined) return warning(id, found.note, install)
  if (!found.installed) return ok(id, "not installed; its first session installs it")
  const where = found.path === undefined ? "part of this program" : `${found.path} (${found.source})`
  return ok(id, found.version === undefined ? where : `${found.version}, ${where}`)
}

/** Undefined: it needs no login. */
function loginFinding(
  id: string,
  ofEntry: ReturnType<typeof entryLogin>["credentials"] | undefined,
): Finding | undefined {
  const name = `${id} login`
  const known = nativeAgent(id)?.credentials
  if (known !== undefined) {
    const { credentials } = discover(id)
    const [used] = credentials
    if (used !== undefined) return ok(name, `${used.provider} ${used.kind} from ${sourceText(used)}`)
    if (nativeLogin(id).credentials === "available")
      return ok(name, "by a way of the agent's own, such as a cloud's role")
    const hint = `Set ${known.variable}, or log in with the agent's own command; \`sandbox-agent credentials extract --agent ${id}\` tells where was looked.`
    return warning(name, "none found", hint)
  }
  if (ofEntry === "available") return ok(name, "found")
  if (ofEntry === "unknown") return ok(name, "unknown: nobody has said what it logs in with, a session tells")
  if (ofEntry === undefined) return undefined
  return warning(name, "none found", "Set the variables it logs in with, or log in with the agent's own command.")
}
