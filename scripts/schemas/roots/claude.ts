import type { Roots } from "../roots.ts"

export const claude: Roots = {
  methods: {
    messages: [
      ...["assistant", "user", "stream_event", "tool_progress", "rate_limit_event", "auth_status", "keep_alive"],
      ...["result/success", "result/error_during_execution", "conversation_reset", "tool_use_summary"],
      ...["prompt_suggestion", "control_request", "control_response", "control_cancel_request"],
      ...["system/init", "system/status", "system/api_retry", "system/compact_boundary", "system/informational"],
      ...["system/permission_denied", "system/task_started", "system/task_progress", "system/task_updated"],
      ...["system/task_notification", "system/background_tasks_changed", "system/commands_changed"],
      ...["system/session_state_changed", "system/thinking_tokens", "system/local_command_output"],
    ],
    controlRequests: ["initialize", "can_use_tool", "elicitation", "interrupt", "set_model", "set_permission_mode"],
  },
  types: ["SDKControlInitializeResponse"],
  brief: [
    ...["HookInput", "SDKControlRequestInner", "SDKUsageReport", "SDKContextUsage", "AgentDefinition"],
    ...["BetaResponseToolUnion", "BetaDiagnostics", "BetaContextManagementResponse", "BetaContainer"],
    ...[
      "BetaRefusalStopDetails",
      "BetaTextCitation",
      "TextCitationParam",
      "BetaMCPToolListingBlock",
      "BetaCompactionBlock",
    ],
    // Tools that the model's API runs itself; the agent has its own.
    ...["BetaWebSearchToolResultBlock", "BetaWebFetchToolResultBlock", "BetaAdvisorToolResultBlock"],
    ...["BetaCodeExecutionToolResultBlock", "BetaBashCodeExecutionToolResultBlock", "BetaToolSearchToolResultBlock"],
    ...["BetaTextEditorCodeExecutionToolResultBlock", "BetaMCPToolResultBlock", "BetaServerToolUseBlock"],
    ...["WebSearchToolResultBlockParam", "WebFetchToolResultBlockParam", "CodeExecutionToolResultBlockParam"],
    ...["BashCodeExecutionToolResultBlockParam", "TextEditorCodeExecutionToolResultBlockParam"],
    ...["ToolSearchToolResultBlockParam", "ServerToolUseBlockParam", "BrowserStateBlockParam"],
    ...["SearchResultBlockParam", "ContainerUploadBlockParam", "BetaFallbackBlock", "BetaIterationsUsage"],
  ],
}
