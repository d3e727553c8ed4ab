import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Mount } from "../http/router.ts"

/** The room of OpenCode's protocol. Nothing is served here yet, and it says so. */
export const opencodeFace: Mount = {
  path: "/opencode/*",
  handle() {
    throw new SandboxAgentError("unavailable", "the OpenCode face is not served by this version")
  },
}
