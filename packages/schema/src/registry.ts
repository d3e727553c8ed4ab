import type { z } from "zod"
import type { RegistryEntrySchema, RegistryFileSchema, TraitsSchema } from "./registry-schemas.ts"

export const traitsKey = "sandboxagent.dev"

export type AcpTraits = z.infer<typeof TraitsSchema>
export type RegistryEntry = z.infer<typeof RegistryEntrySchema>
export type RegistryFile = z.infer<typeof RegistryFileSchema>

export const traitsOf = (entry: RegistryEntry): AcpTraits => entry._meta?.[traitsKey] ?? {}
