import type { Roots } from "../roots.ts"

export const pi: Roots = {
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
