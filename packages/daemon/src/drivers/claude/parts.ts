import type { Host, NativeRef, OpenOptions } from "../../core/driver.ts"
import type { Sink } from "../../core/driver-sink.ts"
import { Blocks } from "./blocks.ts"
import { McpStatus } from "./mcp-status.ts"
import { Models } from "./models.ts"
import { Modes } from "./modes.ts"
import { type Answering, PendingRequests } from "./pending-requests.ts"
import type { Started } from "./process.ts"
import { isProjectSettings } from "./project.ts"
import { Results } from "./results.ts"
import { Tasks } from "./tasks.ts"
import { Todos } from "./todos.ts"
import { Transcript } from "./transcript.ts"
import { Turns } from "./turns.ts"
import { UsageMeter } from "./usage.ts"

export type ConnectionParts = ReturnType<typeof partsOf>

/** What reads and answers one process, each part its own matter. */
export function partsOf(process: Started, options: OpenOptions, ref: NativeRef, sink: Sink, { reach }: Host) {
  const tasks = new Tasks(sink, reach)
  const todos = new Todos(sink)
  const turns = new Turns(sink)
  const { permissionMode, model } = options.settings
  const respond = (response: object) => process.write({ type: "control_response", response })
  const answering: Answering = {
    reply: (request_id, response) => respond({ subtype: "success", request_id, response }),
    refuse: (request_id, error) => respond({ subtype: "error", request_id, error }),
  }
  const decides = (path: string) => isProjectSettings(path, options.directory, ref.home)
  return {
    sink,
    ref,
    reach,
    tasks,
    settle: process.settle,
    turns,
    transcript: new Transcript(ref, sink, { reach }, turns),
    blocks: new Blocks(sink),
    usage: new UsageMeter(),
    results: new Results(sink, tasks, todos),
    modes: new Modes(sink, permissionMode, (mode) => process.request({ subtype: "set_permission_mode", mode })),
    models: new Models(sink, model),
    // One that is gone before it answers is told of anyway.
    servers: new McpStatus(sink, (then) => void process.request({ subtype: "mcp_status" }, then).catch(() => {})),
    asks: new PendingRequests(sink, tasks, answering, reach, decides),
  }
}
