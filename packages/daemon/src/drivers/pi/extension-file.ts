import { join } from "node:path"
import type { Host } from "../../core/driver.ts"
import { commonJsOf } from "./common-js.ts"
import ask from "./extension/ask.ts" with { type: "text" }
import mcp from "./extension/mcp.ts" with { type: "text" }
import client from "./extension/mcp-client.ts" with { type: "text" }
import http from "./extension/mcp-http.ts" with { type: "text" }
import stdio from "./extension/mcp-stdio.ts" with { type: "text" }
import main from "./extension/sandbox-agent.ts" with { type: "text" }
import { laidOut } from "./laid-out.ts"

/** The extension that asks for us, by the names of its files. Inside the executable they are texts; the compiler takes them for modules. */
const sources: Readonly<Record<string, unknown>> = {
  ask,
  mcp,
  "mcp-client": client,
  "mcp-http": http,
  "mcp-stdio": stdio,
  "sandbox-agent": main,
}

export const extensionFiles = (): Record<string, string> =>
  Object.fromEntries(Object.entries(sources).map(([name, text]) => [`${name}.cjs`, commonJsOf(text as string)]))

let files: Readonly<Record<string, string>> | undefined

/** On disk, where Pi can load it: in a folder that is named for its content, and never changed. */
export function extensionFile(host: Pick<Host, "home" | "asAgent">): string {
  files ??= extensionFiles()
  return join(laidOut("extension", files, 0o600, host), "sandbox-agent.cjs")
}
