import type { Roots } from "../roots.ts"

export const codex: Roots = {
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
