export { type CheckOptions, checkLog } from "@sandbox-agent/conformance/checks"
