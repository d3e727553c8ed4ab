import { processLimits } from "@sandbox-agent/schema/process-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"

export const { overfill, expectAll } = overfilling(processLimits)
