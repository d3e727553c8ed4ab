import { SandboxAgentError } from "@sandbox-agent/schema/error"

/** A command line that cannot be understood: exit code 2, with the words that show how it is meant. */
export class UsageError extends SandboxAgentError {
  constructor(detail: string, command: readonly string[] = []) {
    super("invalid_request", detail, { hint: `see \`${["sandbox-agent help", ...command].join(" ")}\`` })
  }
}
