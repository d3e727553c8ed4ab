import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"

export const { overfill, expectAll } = overfilling(acpAgentLimits)
