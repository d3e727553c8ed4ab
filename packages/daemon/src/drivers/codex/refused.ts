import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { RpcError } from "./native.ts"

/** Codex refused; its words are all there is to tell one reason from another. */
export class Refused extends SandboxAgentError {
  constructor(
    readonly method: string,
    { message = "no reason" }: RpcError,
  ) {
    super("invalid_request", `Codex refused ${method}: ${message}`)
  }
}
