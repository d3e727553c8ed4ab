import { allCapabilitiesBut } from "../shared/capabilities.ts"

export const capabilities = allCapabilitiesBut("sharedProcess")
