/**
 * Codes of errors in turns beside the closed list of errors, and what each means. Drivers translate the words of their
 * agents into them; what an agent says that no driver knows stands there as it came, so the list is open.
 */
export const turnErrorCodes = {
  daemon_stopping: "the daemon was stopped while the turn ran",
  daemon_restarted: "the daemon was killed while the turn ran, and is back",
  authentication_failed: "the agent has no login, or the provider refused it",
  rate_limited: "the provider takes no more requests for now",
  usage_limit: "what the account may use is used up",
  billing_error: "the account has to pay first",
  budget_exhausted: "what the session may cost is used up",
  overloaded: "the provider has too much to do",
  server_error: "the provider failed",
  connection_failed: "the agent could not reach the provider",
  model_not_found: "the provider has no such model, or the account may not use it",
  prompt_too_long: "the conversation no longer fits into the model's context",
  policy_violation: "the provider refused for its rules",
  sandbox_error: "the agent could not start its own sandbox",
  too_many_denials: "the agent gave up after too many refusals",
  during_execution: "the agent gave up, and says why in `message` alone",
  agent_error: "the agent failed, and says why in `message` alone",
  unknown: "the agent failed and does not say why",
} as const

export type TurnErrorCode = keyof typeof turnErrorCodes
