import { z } from "zod"

export const InstallBodySchema = z.strictObject({
  reinstall: z.boolean().optional().describe("download it even if it is there"),
  version: z.string().min(1).max(100).optional().describe("exact version; default: the newest"),
})
