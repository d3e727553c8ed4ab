import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"

export const { overfill, expectAll } = overfilling(acpLimits)
