import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { Confinement, isWithin, realPath } from "../files/confinement.ts"
import { readRegular } from "../files/regular-file.ts"
import { writeRegular } from "../files/write-file.ts"
import { agentDataDirectory } from "./agent-user.ts"
import { attachmentDirectory } from "./attachments.ts"
import type { AgentFiles } from "./driver.ts"
import type { Session } from "./session.ts"

/** Through these a process shows its environment, and lets others change it. */
const kernel = ["/proc", "/sys"]

/**
 * The files an agent has us open for it. The daemon may read what the agent may not, its own token above all, so an agent
 * gets what is below its session's directory, elsewhere what a person allows, and what is the daemon's own never.
 */
export function agentFiles(s: Session): AgentFiles {
  const { roots } = s.context.files
  const { directory, agentUser } = s.context
  const work = s.record.directory
  const mine = [attachmentDirectory(s), join(agentDataDirectory(s.context), "agents", s.record.agent, "sessions")]
  // A session may be put inside the data directory; the directory itself is no place for one.
  if (isWithin(directory, work) && work !== directory) mine.push(work)
  const never = [directory, ...kernel]
  const ofSession = () => Confinement.of([work, ...roots], never, mine, agentUser)
  const anywhere = () => Confinement.of(roots, never, mine, agentUser)

  /** `allow` is asked for what lies elsewhere. */
  async function withLeave<T>(
    path: string,
    allow: () => Promise<boolean>,
    use: (allowed: Confinement) => Promise<T>,
  ): Promise<T> {
    const real = await realPath(path)
    const near = await ofSession()
    if (near.allows(real)) return use(near)
    const far = await anywhere()
    far.assert(real, path)
    if (!(await allow())) throw new SandboxAgentError("permission_denied", `${path} was not allowed`)
    return use(far)
  }

  return {
    read: (path, limit, allow) => withLeave(path, allow, (allowed) => readRegular(path, limit, allowed)),
    write: (path, content, allow) => withLeave(path, allow, (allowed) => writeRegular(path, content, allowed)),
  }
}
