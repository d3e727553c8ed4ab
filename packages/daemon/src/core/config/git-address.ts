import { isAbsolute } from "node:path"
import { pathToFileURL } from "node:url"
import type { SkillSource } from "@sandbox-agent/schema/config"
import { SandboxAgentError } from "@sandbox-agent/schema/error"

/** Where a repository is, and the one protocol that git may use for it. */
export interface GitAddress {
  url: string
  protocol: "https" | "http" | "ssh" | "file"
  /** Of a repository on this machine. */
  path?: string
}

/**
 * Only what cannot be read as an option or as a program to run: git would take `ext::`, and ssh a host that begins with a
 * dash. A login in the address would be shown to whoever reads the config.
 */
export function gitAddress({ type, source }: Pick<SkillSource, "type" | "source">): GitAddress {
  if (type === "github") {
    if (!/^[A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9_.-]+$/.test(source)) throw bad(source, "owner/name is expected")
    return { url: `https://github.com/${source.replace(/\.git$/, "")}.git`, protocol: "https" }
  }
  if (isAbsolute(source)) return { url: pathToFileURL(source).href, protocol: "file", path: source }
  if (source.startsWith("file:///")) return local(source)
  const web = /^(https?):\/\/([^/?#]+)\//.exec(source)
  if (web !== null) {
    if (web[2]?.includes("@"))
      throw bad(source, "it names a login, which would be shown: use a credential helper of git")
    return { url: source, protocol: web[1] as "http" | "https" }
  }
  const isSsh =
    /^ssh:\/\/([A-Za-z0-9_][\w.-]*@)?[A-Za-z0-9[][\w.:[\]-]*\/[^-]/.test(source) ||
    /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:[^-:]/.test(source)
  if (isSsh) return { url: source, protocol: "ssh" }
  throw bad(source, "an address with https, http, ssh or file, or an absolute path is expected")
}

function local(source: string): GitAddress {
  const path = decodeURIComponent(new URL(source).pathname)
  return { url: source, protocol: "file", path }
}

const bad = (source: string, why: string): SandboxAgentError =>
  new SandboxAgentError("invalid_request", `source ${source.slice(0, 200)}: ${why}`)
