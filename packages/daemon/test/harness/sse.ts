export { type Frame, sseEvents } from "@sandbox-agent/conformance/sse"
