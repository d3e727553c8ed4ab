import type { Host, NativeRef } from "../../core/driver.ts"
import type { Sink } from "../../core/driver-sink.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import { KeptFile } from "../shared/kept-file.ts"
import { Blocks } from "./blocks.ts"
import { Durable } from "./durable.ts"
import { Models } from "./models.ts"
import type { NativeCommand } from "./native.ts"
import { PendingRequests } from "./pending-requests.ts"
import type { Started } from "./process.ts"
import { Results } from "./results.ts"
import { Turns } from "./turns.ts"

export type ConnectionParts = ReturnType<typeof partsOf>

/** What reads and answers one process, each part its own matter. */
export function partsOf(process: Started, directory: string, ref: NativeRef, sink: Sink, { reach }: Host) {
  const durable = new Durable(ref, sink)
  const requests = new PendingRequests(sink, directory, reach, process)
  const clearQueue = () => ignoreGone(process.command({ type: "clear_queue" }, () => turns.cleared()))
  const turns: Turns = new Turns(sink, clearQueue)
  requests.busy = () => turns.busy
  return {
    sink,
    ref,
    turns,
    requests,
    settle: process.settle,
    durable,
    kept: new KeptFile(ref, sink, { reach }, () => durable.file),
    blocks: new Blocks(sink),
    results: new Results(sink, directory, requests.takeDiff),
    models: new Models(sink),
    commands: [] as NativeCommand[],
  }
}
