import { randomBytes } from "node:crypto"
import type { BytePath } from "./byte-path.ts"

export const PREFIX = ".sandbox-agent-"

/** A name that nobody has. */
export const draftName = (): BytePath => `${PREFIX}${randomBytes(8).toString("hex")}`

/** Something that is not whole yet: nobody is shown it, and nobody is given it. */
export const isDraft = (name: BytePath): boolean =>
  name.startsWith(PREFIX) && /^[0-9a-f]{16}$/.test(name.slice(PREFIX.length))
