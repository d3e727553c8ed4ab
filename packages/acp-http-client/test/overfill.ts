import { overfilling } from "@sandbox-agent/test-agents/overfill"
import * as limits from "../src/limits.ts"

const { defaultLimits, ...constants } = limits
export const { overfill, expectAll } = overfilling({ ...defaultLimits, ...constants })
