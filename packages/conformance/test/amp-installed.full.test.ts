import { join } from "node:path"
import { tested } from "@sandbox-agent/test-agents/amp"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root } from "./daemon.ts"
import { startInstalledAmp } from "./starts.ts"

/** What depends on who runs it: how it starts, what it starts itself, how it ends. */
const only = [
  "turns follow each other in one session",
  "a permission given once lets the command run once",
  "a rejected permission refuses the tool with the message, and the model goes on",
  "an MCP server given at create is called",
  "a running command is interrupted and its call gets a result",
  "after kill -9 of the agent the turn ends, and the next message resumes it",
]

/** The real Amp as the product installs it. */
const report = join(root, "docs/conformance/amp.json")
runDriverSuite({ name: `amp ${tested}, installed`, report, only, start: startInstalledAmp })
