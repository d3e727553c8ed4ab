export { type Answer, Api } from "@sandbox-agent/conformance/api"
