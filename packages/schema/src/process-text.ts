import { z } from "zod"
import { limits } from "./limits.ts"

/** What becomes an argument or a variable of a process, or names a file: no system takes a NUL there. */
export const processText = z.string().regex(/^[^\0]*$/, "contains a NUL character")

export const variables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "not a name of an environment variable"),
  processText,
)

/** Environment of one process. */
export const environment = variables.refine((e) => Object.keys(e).length <= limits.envEntries, {
  message: `more than ${limits.envEntries} entries`,
})
