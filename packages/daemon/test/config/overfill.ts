import { configLimits } from "@sandbox-agent/schema/config-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"

export const { overfill, expectAll } = overfilling(configLimits)
