import type { PlanEntry, StopReason, Usage } from "@sandbox-agent/schema/event"
import type { PermissionKind, QuestionPart } from "@sandbox-agent/schema/request"
import type { PermissionMode } from "@sandbox-agent/schema/session"

/** What driver and mock agent say to each other: one JSON object per line. Types only, so the agent starts light. */
export type ToAgent =
  | { type: "prompt"; message: UserMessage }
  | { type: "steer"; request: number; message: UserMessage }
  | { type: "interrupt"; request: number }
  | { type: "configure"; request: number; settings: Partial<AgentSettings> }
  | { type: "stop_background"; request: number }
  | { type: "answer"; id: string; answer: Answer }

export interface UserMessage {
  id: string
  text: string
  /** What it has to know of a session it does not remember. */
  brief?: string
  attachments: { name?: string; mime?: string; path?: string; data?: string }[]
}

export interface AgentSettings {
  agentMode: string
  permissionMode: PermissionMode
  model?: string
  variant?: string
}

export type Answer =
  | { kind: "permission"; reply: "once" | "reject"; message?: string }
  | { kind: "question"; answers: string[][] }
  | { kind: "question_rejected"; message?: string }

export type FromAgent =
  | Delta
  | Ready
  | Reply
  | BlockStart
  | BlockEnd
  | Ask
  | { type: "turn_start"; turn: string; origin: "message" | "agent" }
  | { type: "turn_end"; turn: string; stop: StopReason; error?: { code: string; message: string } }
  | { type: "taken" | "returned"; message: string }
  | { type: "ask_cancelled"; id: string }
  | { type: "plan"; entries: PlanEntry[] }
  | { type: "usage"; increment: Partial<Usage> }
  | { type: "session"; title?: string; permissionMode?: PermissionMode; durable?: true }
  | { type: "status"; label: string; detail?: string }
  | { type: "error"; code: string; message: string }
  | { type: "background"; count: number }
  | { type: "ended" }

export interface Ready {
  type: "ready"
  session: string
  durable: boolean
  commands: { name: string; description: string; hint?: string }[]
}

/** The answer to a line that carried `request`. */
export interface Reply {
  type: "reply"
  request: number
  /** Of `steer`: whether there was a turn to steer. */
  accepted?: boolean
  /** Of `configure`: what is in force now. */
  settings?: AgentSettings
}

export type Block =
  | { kind: "text" | "reasoning" }
  | { kind: "call"; call: string; name: string; tool: string; title?: string }
  | { kind: "result"; call: string }
  | { kind: "image"; path: string; mime: string }

export interface BlockStart {
  type: "block_start"
  id: string
  /** The native message this block is part of. */
  message: string
  parent?: string
  block: Block
}

export interface Delta {
  type: "delta"
  id: string
  text: string
}

export interface BlockEnd {
  type: "block_end"
  id: string
  /** The block was cut by an interrupt. */
  cut?: true
  /** Whole text, arguments or output; absent: the deltas were all of it. */
  text?: string
  isError?: boolean
  detached?: boolean
  truncated?: boolean
  file?: { path: string; action: "write" | "patch"; diff: string }
}

export type Ask = { type: "ask"; id: string; call?: string } & (
  | {
      permission: {
        kind: PermissionKind
        action: string
        detail: { command?: string; path?: string; diff?: string }
        rule: string
      }
    }
  | { questions: QuestionPart[]; purpose?: "plan_approval" }
)
