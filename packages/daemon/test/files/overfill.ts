import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"

export const { overfill, expectAll } = overfilling(fileLimits)
