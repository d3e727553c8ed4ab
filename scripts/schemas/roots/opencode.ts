import type { Roots } from "../roots.ts"

export const opencode: Roots = {
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
