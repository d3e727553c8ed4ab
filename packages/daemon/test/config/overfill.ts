import { configLimits } from "@sandbox-agent/schema/limits"
import { overfilling } from "../harness/overfill.ts"

export const { overfill, expectAll } = overfilling(configLimits)
