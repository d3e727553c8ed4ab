import { z } from "zod"
import { environment } from "./process-text.ts"

export const InstallBodySchema = z.strictObject({
  reinstall: z.boolean().optional().describe("download it even if it is there"),
  version: z.string().min(1).max(100).optional().describe("exact version; default: the newest"),
  forSession: z
    .strictObject({
      directory: z.string().min(1).max(4096).optional().describe("absolute; default: where the daemon runs"),
      env: environment.optional().describe("variables that the session would give the agent"),
    })
    .optional()
    .describe(
      "the session that needs it: where the agent surely has no login there, nothing is installed and `unavailable` says what is missing",
    ),
})
export type InstallRequest = z.infer<typeof InstallBodySchema>
