/** What a driver reads and writes of its agent: the types made for it are these and everything they name. */
export interface Roots {
  /** By kind, the native names, as in `x-methods` of `schemas/<agent>.json`. */
  methods: Readonly<Record<string, readonly string[]>>
  /** Definitions, as in `$defs`. */
  types: readonly string[]
  /** Definitions nobody reads into: only the values that tell them from others are kept. */
  brief?: readonly string[]
}

const codex: Roots = {
  methods: {
    clientRequests: [
      ...[
        "initialize",
        "model/list",
        "collaborationMode/list",
        "account/read",
        "account/login/start",
        "account/logout",
      ],
      ...["thread/start", "thread/resume", "thread/fork", "thread/read", "thread/list", "thread/loaded/list"],
      ...["thread/turns/list", "thread/items/list", "thread/archive", "thread/unarchive", "thread/delete"],
      ...["thread/name/set", "thread/unsubscribe", "thread/revert", "thread/settings/update", "thread/compact/start"],
      ...["thread/shellCommand", "thread/inject_items", "review/start", "command/exec"],
      ...["thread/backgroundTerminals/clean", "thread/backgroundTerminals/list"],
      ...["thread/backgroundTerminals/terminate", "turn/start", "turn/steer", "turn/interrupt"],
      ...["skills/list", "skills/extraRoots/set", "config/read", "permissionProfile/list", "mcpServerStatus/list"],
    ],
    clientNotifications: ["initialized"],
    serverRequests: [
      ...["item/commandExecution/requestApproval", "item/fileChange/requestApproval"],
      ...["item/permissions/requestApproval", "item/tool/requestUserInput", "item/tool/call"],
      ...["mcpServer/elicitation/request", "account/chatgptAuthTokens/refresh", "attestation/generate"],
      ...["currentTime/read", "applyPatchApproval", "execCommandApproval"],
    ],
    serverNotifications: [
      ...["error", "warning", "guardianWarning", "configWarning", "deprecationNotice", "serverRequest/resolved"],
      ...["thread/started", "thread/status/changed", "thread/archived", "thread/unarchived", "thread/deleted"],
      ...["thread/closed", "thread/reverted", "thread/name/updated", "thread/tokenUsage/updated"],
      ...["thread/settings/updated", "thread/compacted", "thread/goal/updated", "thread/goal/cleared"],
      ...["turn/started", "turn/completed", "turn/diff/updated", "turn/plan/updated"],
      ...["item/started", "item/completed", "item/agentMessage/delta", "item/plan/delta"],
      ...["item/reasoning/summaryPartAdded", "item/reasoning/summaryTextDelta", "item/reasoning/textDelta"],
      ...["item/commandExecution/outputDelta", "item/commandExecution/terminalInteraction"],
      ...["item/fileChange/outputDelta", "item/fileChange/patchUpdated", "item/mcpToolCall/progress"],
      ...["mcpServer/startupStatus/updated", "model/rerouted"],
      ...["account/login/completed", "account/updated", "account/rateLimits/updated"],
      ...["remoteControl/status/changed", "skills/changed", "hook/started", "hook/completed"],
    ],
  },
  types: [
    ...["JSONRPCMessage", "ThreadItem", "Turn", "TurnError", "UserInput", "CodexErrorInfo", "Model"],
    // Sent with `experimentalRawEvents`; no method of the schema names it.
    "RawResponseItemCompletedNotification",
  ],
}

const opencode: Roots = {
  methods: {
    requests: [
      ...["GET /global/health", "GET /path", "GET /agent", "GET /command", "GET /config", "GET /config/providers"],
      ...["GET /provider", "GET /provider/auth", "PUT /auth/{providerID}", "POST /instance/dispose"],
      ...["GET /mcp", "POST /mcp", "POST /mcp/{name}/connect", "POST /mcp/{name}/disconnect"],
      ...["GET /permission", "POST /permission/{requestID}/reply"],
      ...["GET /question", "POST /question/{requestID}/reply", "POST /question/{requestID}/reject"],
      ...["GET /session", "POST /session", "GET /session/status", "GET /session/{sessionID}"],
      ...["PATCH /session/{sessionID}", "DELETE /session/{sessionID}", "GET /session/{sessionID}/children"],
      ...["GET /session/{sessionID}/message", "GET /session/{sessionID}/message/{messageID}"],
      ...["POST /session/{sessionID}/message", "POST /session/{sessionID}/prompt_async"],
      ...["POST /session/{sessionID}/abort", "POST /session/{sessionID}/fork", "POST /session/{sessionID}/command"],
      ...["POST /session/{sessionID}/shell", "POST /session/{sessionID}/summarize", "GET /session/{sessionID}/todo"],
      ...["GET /session/{sessionID}/diff", "POST /session/{sessionID}/permissions/{permissionID}"],
      ...["POST /session/{sessionID}/revert", "POST /session/{sessionID}/unrevert"],
    ],
    events: [
      ...["server.connected", "server.instance.disposed", "global.disposed"],
      ...["session.created", "session.updated", "session.deleted", "session.status", "session.idle", "session.error"],
      ...["session.diff", "session.compacted", "message.updated", "message.removed", "message.part.updated"],
      ...["message.part.delta", "message.part.removed", "permission.asked", "permission.replied"],
      ...["question.asked", "question.replied", "question.rejected", "todo.updated", "command.executed"],
      ...["file.edited", "file.watcher.updated", "project.updated", "plugin.added", "catalog.updated"],
      ...["reference.updated", "integration.updated", "lsp.updated", "mcp.tools.changed", "vcs.branch.updated"],
    ],
  },
  types: [
    ...["Session", "SessionStatus", "Message", "UserMessage", "AssistantMessage", "Part", "ToolPart", "ToolState"],
    ...["PermissionRequest", "PermissionRule", "QuestionRequest", "Agent", "Provider", "Model", "Command", "Todo"],
    ...["NotFoundError", "PermissionNotFoundError", "QuestionNotFoundError", "effect_HttpApiError_BadRequest"],
  ],
}

const claude: Roots = {
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

const amp: Roots = {
  methods: {
    messages: ["system/init", "user", "assistant", "result/success", "result/error_during_execution"],
  },
  types: ["Permission"],
  brief: ["PermissionMatchCondition"],
}

const pi: Roots = {
  methods: {
    commands: [
      ...["prompt", "steer", "abort", "clear_queue", "get_state", "get_commands", "get_available_models"],
      ...["set_model", "set_thinking_level"],
    ],
    events: [
      ...["agent_start", "agent_end", "agent_settled", "turn_start", "turn_end", "queue_update", "entry_appended"],
      ...["message_start", "message_update", "message_end"],
      ...["tool_execution_start", "tool_execution_update", "tool_execution_end", "bash_execution_update"],
      ...["thinking_level_changed", "session_info_changed", "compaction_start", "compaction_end"],
      ...["auto_retry_start", "auto_retry_end", "summarization_retry_scheduled"],
      ...["summarization_retry_attempt_start", "summarization_retry_finished"],
    ],
    extensionRequests: [
      ...["select", "confirm", "input", "editor", "notify", "setStatus", "setWidget", "setTitle", "set_editor_text"],
    ],
  },
  types: ["RpcExtensionUIResponse"],
  brief: [
    "SessionEntry",
    "OpenAICompletionsCompat",
    "ModelImageInputLimits",
    "AssistantMessageDiagnostic",
    "Tool",
    "JsonObject",
  ],
}

/** Agents whose driver has generated types. */
export const roots: Readonly<Record<string, Roots>> = { amp, claude, codex, opencode, pi }
