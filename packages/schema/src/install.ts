import { z } from "zod"

export const InstallBodySchema = z.strictObject({
  reinstall: z.boolean().optional(),
  version: z.string().min(1).max(100).optional(),
})
