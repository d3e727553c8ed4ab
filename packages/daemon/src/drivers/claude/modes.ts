import type { PermissionMode } from "@sandbox-agent/schema/session"
import type { SessionSink } from "../../core/driver-sink.ts"
import { nativeMode } from "./settings.ts"

/** Keeps the core's permission mode and Claude Code's own in step: the model can enter plan mode by itself. */
export class Modes {
  constructor(
    private readonly sink: SessionSink,
    /** What the core believes. */
    private mode: PermissionMode,
    private readonly set: (mode: string) => Promise<unknown>,
  ) {}

  async choose(mode: PermissionMode): Promise<void> {
    const before = this.mode
    if (nativeMode(before) === nativeMode(mode)) {
      this.mode = mode
      return
    }
    // Before the request: the line that confirms it must not look like a change of the agent's own.
    this.mode = mode
    try {
      await this.set(nativeMode(mode))
    } catch (error) {
      this.mode = before
      throw error
    }
  }

  reported(native: string | undefined): void {
    if (native === undefined || (native === "plan") === (this.mode === "plan")) return
    this.mode = native === "plan" ? "plan" : "default"
    this.sink.session({ permissionMode: this.mode })
  }
}
