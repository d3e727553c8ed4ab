import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { type BytePath, toText } from "./byte-path.ts"

/** What was left out and why; the first are named, all are counted. */
export class Skipped {
  readonly named: { path: string; reason: string }[] = []
  count = 0

  add(path: BytePath, reason: string): void {
    this.count++
    if (this.named.length < fileLimits.skippedNamed) this.named.push({ path: toText(path), reason })
  }
}
