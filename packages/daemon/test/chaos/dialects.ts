import { toolCall } from "@sandbox-agent/scripted-model/script"
import type { AgentDialect } from "./prompts.ts"

export const claudeDialect: AgentDialect = {
  said: (request) => JSON.stringify(request.body.messages),
  result: '"tool_result"',
  run: (command) => toolCall("Bash", { command }),
  question: (asked) => toolCall("AskUserQuestion", { questions: [{ ...asked, multiSelect: false }] }),
  harmless: toolCall("Bash", { command: "echo hi" }),
}

export const codexDialect: AgentDialect = {
  said: (request) => JSON.stringify(request.body.input),
  result: '_call_output"',
  run: (cmd) => toolCall("exec_command", { cmd, yield_time_ms: 30_000 }),
  question: (asked) => toolCall("request_user_input", { questions: [{ id: "colour", ...asked }] }),
  harmless: toolCall("update_plan", { plan: [{ step: "Look", status: "in_progress" }] }),
}

export const opencodeDialect: AgentDialect = {
  said: (request) => JSON.stringify(request.body.messages),
  result: '"role":"tool"',
  run: (command) => toolCall("bash", { command, description: "As told" }),
  question: (asked) => toolCall("question", { questions: [asked] }),
  harmless: toolCall("todowrite", { todos: [{ content: "Look", status: "in_progress", priority: "low" }] }),
}

/** It has no tool for questions: no scene of its asks one. */
export const ampDialect: AgentDialect = {
  said: (request) => JSON.stringify(request.body.messages),
  result: '"tool_result"',
  run: (cmd) => toolCall("Bash", { cmd }),
  question: () => toolCall("Read", { path: "/" }),
  harmless: toolCall("Read", { path: "/" }),
}

export const piDialect: AgentDialect = {
  said: (request) => JSON.stringify(request.body.messages),
  result: '"role":"tool"',
  run: (command) => toolCall("bash", { command }),
  question: (asked) => toolCall("ask_user", { questions: [asked] }),
  harmless: toolCall("read", { path: "." }),
}
