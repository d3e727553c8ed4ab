import { readdirSync, readFileSync } from "node:fs"
import { processTagVariable } from "../../src/supervisor/environment.ts"
import { lives } from "../supervisor/processes.ts"

export interface TaggedProcess {
  pid: number
  parent: number
  name: string
}

/** Every process that was started for this session, however deep and in whichever group; for any session without one. */
export function taggedProcessesOf(session = "", home = ""): TaggedProcess[] {
  return readdirSync("/proc").flatMap((entry) => {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || !lives(pid)) return []
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")
      const owner = environment.find((line) => line.startsWith(`${processTagVariable}=`))
      if (owner === undefined || (session !== "" && !owner.endsWith(`:session:${session}`))) return []
      if (home !== "" && !environment.includes(`HOME=${home}`)) return []
      const status = readFileSync(`/proc/${pid}/status`, "latin1")
      const field = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, "m").exec(status)?.[1] ?? ""
      return { pid, parent: Number(field("PPid")), name: field("Name") }
    } catch {
      return []
    }
  })
}
