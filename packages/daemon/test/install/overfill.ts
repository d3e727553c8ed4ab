import { installLimits } from "@sandbox-agent/schema/install-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"

export const { overfill, expectAll } = overfilling(installLimits)
