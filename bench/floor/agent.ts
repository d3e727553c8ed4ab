import { lines } from "../client/lines.ts"
import { playDeltas, write } from "./deltas.ts"

// As long as an `item.delta` of the daemon, so that floor and daemon move the same bytes.
const padding = "x".repeat(230)
const line = (delta: string): string => `{"type":"item.delta","pad":"${padding}","delta":"${delta}"}\n`

/** The agent of the floor: a message a line in, a delta a line out, then the mark of the end. */
export async function runFloorAgent(): Promise<void> {
  for await (const message of lines(Bun.stdin.stream())) {
    await playDeltas(message, line)
    write(`{"type":"turn.ended"}\n`)
  }
}
