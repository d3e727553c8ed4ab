import { join } from "node:path"
import type { Host } from "../../core/driver.ts"
import ask from "./extension/ask.ts" with { type: "text" }
import mcp from "./extension/mcp.ts" with { type: "text" }
import client from "./extension/mcp-client.ts" with { type: "text" }
import http from "./extension/mcp-http.ts" with { type: "text" }
import stdio from "./extension/mcp-stdio.ts" with { type: "text" }
import main from "./extension/sandbox-agent.ts" with { type: "text" }
import { laidOut } from "./laid-out.ts"

/** The extension that asks for us, by the names of its files. Inside the executable they are texts. */
export const extensionFiles: Readonly<Record<string, string>> = {
  "ask.ts": textOf(ask),
  "sandbox-agent.ts": textOf(main),
  "mcp.ts": textOf(mcp),
  "mcp-client.ts": textOf(client),
  "mcp-http.ts": textOf(http),
  "mcp-stdio.ts": textOf(stdio),
}

/** The compiler takes them for what they export. */
function textOf(source: unknown): string {
  return source as string
}

/** On disk, where Pi can load it: in a folder that is named for its content, and never changed. */
export const extensionFile = (host: Pick<Host, "home" | "asAgent">): string =>
  join(laidOut("extension", extensionFiles, 0o600, host), "sandbox-agent.ts")
