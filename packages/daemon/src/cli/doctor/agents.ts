import { type RegistryEntry, traitsOf } from "@sandbox-agent/schema/registry"
import { discover } from "../../credentials/discover.ts"
import { nativeLogin } from "../../credentials/login.ts"
import { sourceText } from "../../credentials/redact.ts"
import { nativeAgent, nativeAgents } from "../../drivers/table.ts"
import type { Installer } from "../../install/installer.ts"
import type { Located } from "../../install/locate.ts"
import { typedProgram } from "../../install/programs.ts"
import { registryEntries } from "../../registry/agent-registry.ts"
import { entryLogin } from "../../registry/login.ts"
import { ofTerminal, withoutNext } from "../hints.ts"
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
      return [
        programFinding(id, found),
        loginFinding(id, entry, "installed" in found ? typedProgram(found) : undefined),
      ]
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
function loginFinding(id: string, entry: RegistryEntry | undefined, program: string | undefined): Finding | undefined {
  const name = `${id} login`
  const known = nativeAgent(id)?.credentials
  if (entry === undefined && known === undefined) return undefined
  const { env } = process
  const { credentials, missing } =
    entry === undefined ? nativeLogin(id, env, undefined, program) : entryLogin(entry, env, undefined, program)
  if (credentials === "available") return ok(name, known === undefined ? "found" : sourceOf(id))
  const unsure = known && discover(id).unsure
  if (unsure !== undefined) return ok(name, `unknown: none was found, but ${unsure}`)
  if (credentials === "unknown") return ok(name, "unknown: nobody has said what it logs in with, a session tells")
  const { detail = "none found", hint = waysOf(entry) } = missing ?? {}
  return warning(name, detail.replace(/^\S+ has no login/, "none"), withoutNext(ofTerminal(hint)))
}

/** Of an agent that was added: what its entry says it logs in with. */
function waysOf(entry: RegistryEntry | undefined): string {
  const { login = [] } = entry === undefined ? {} : traitsOf(entry)
  const ways = [
    ...login.flatMap(({ env }) => (env === undefined ? [] : [`set ${env}`])),
    ...login.flatMap(({ file }) => (file === undefined ? [] : [`have a login in ~/${file}`])),
  ].join(", or ")
  if (ways === "") return "Set the variables it logs in with, or log in with the agent's own command."
  return `${ways.charAt(0).toUpperCase()}${ways.slice(1)}, or log in with the agent's own command.`
}

function sourceOf(id: string): string {
  const [used] = discover(id).credentials
  return used === undefined
    ? "by a way of the agent's own, such as a cloud's role"
    : `${used.provider} ${used.kind} from ${sourceText(used)}`
}
