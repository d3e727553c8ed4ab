import { runMcpCalls } from "../mcp-calls.ts"
import { startLive } from "./live.ts"

runMcpCalls(startLive, 180_000)
