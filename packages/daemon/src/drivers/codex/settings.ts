import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Mcp, PermissionMode } from "@sandbox-agent/schema/session"
import type { Settings } from "../../core/driver.ts"
import { checkSettings } from "./capabilities.ts"
import { assertModel, choiceOf } from "./models.ts"
import type { ThreadStartParams, TurnStartParams } from "./native.gen.ts"
import type { NativeModel, Opened } from "./native.ts"
import { type Policy, policyOf } from "./policy.ts"
import type { Server } from "./server.ts"

/** Servers of a session beside those the user has configured. */
function mcpConfig(mcp: Mcp = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(mcp).map(([name, server]) => {
      const wait = server.timeoutMs === undefined ? {} : { startup_timeout_sec: server.timeoutMs / 1000 }
      if (!("url" in server)) {
        const { command, args = [], env } = server
        return [`mcp_servers.${name}`, { command, args, ...(env && { env }), ...wait }]
      }
      if (server.type === "sse")
        throw new SandboxAgentError("not_supported", `Codex has no MCP over SSE; ${name} needs "http"`)
      const { url, headers } = server
      return [`mcp_servers.${name}`, { url, ...(headers && { http_headers: headers }), ...wait }]
    }),
  )
}

/**
 * Codex asks nobody about what the model types into a program: a shell that was allowed once would run anything. So a thread
 * has terminals only where nothing is asked; elsewhere a program's input is closed, and the model is told so.
 */
export const hasTerminals = (mode: PermissionMode): boolean => mode === "bypass"

export type ThreadParams = Pick<
  ThreadStartParams,
  "cwd" | "approvalPolicy" | "model" | "developerInstructions" | "config"
>
type TurnParams = Omit<TurnStartParams, "threadId" | "input">

/**
 * What a thread is opened with, new, resumed or forked: nothing of it is kept by Codex but directory and model. No sandbox:
 * versions up to 0.155 would write into the user's configuration that the directory is trusted, and each turn tells it.
 */
export async function threadParams(settings: Settings, directory: string, server: Server): Promise<ThreadParams> {
  const { permissionMode, model, systemPrompt, mcp } = settings
  const policy = policyOf(permissionMode, permissionMode === "plan" && (await server.sandboxes()))
  return {
    cwd: directory,
    approvalPolicy: policy.approvalPolicy,
    ...(model !== undefined && { model }),
    ...(systemPrompt && { developerInstructions: systemPrompt }),
    config: { ...mcpConfig(mcp), "features.unified_exec_tty": hasTerminals(permissionMode) },
  }
}

/** What the session is set to, and what of it the next turn has to tell Codex. */
export class Choices {
  #settings: Settings
  /** Codex's words for what is in force, where the session does not choose. */
  #model: string
  #effort: string | undefined
  /** The mode the thread is in; unknown of one that was resumed. */
  #mode: "build" | "plan" | undefined

  constructor(
    settings: Settings,
    { model, reasoningEffort }: Opened,
    fresh: boolean,
    /** Models beside those that are listed. */
    private readonly named: readonly string[],
  ) {
    this.#settings = { ...settings }
    this.#model = model ?? settings.model ?? ""
    this.#effort = reasoningEffort ?? undefined
    this.#mode = fresh ? "build" : undefined
  }

  get settings(): Readonly<Settings> {
    return this.#settings
  }

  /** Throws for what Codex would take without a word and send to a model that does not know it. */
  check(patch: Partial<Settings>, models: readonly NativeModel[]): { model: string; variant: string | undefined } {
    checkSettings(patch)
    assertModel(models, patch.model, this.named)
    const variant = patch.model === undefined ? (patch.variant ?? this.#settings.variant) : patch.variant
    const model = patch.model ?? this.#model
    if (variant !== undefined) choiceOf(models, model, variant)
    return { model, variant }
  }

  change(patch: Partial<Settings>, models: readonly NativeModel[]): void {
    const { model, variant } = this.check(patch, models)
    this.#settings = { ...this.#settings, ...patch, variant }
    this.#model = model
    // Codex would keep that of the old model.
    if (patch.model !== undefined) this.#effort = models.find(({ id }) => id === model)?.defaultReasoningEffort
  }

  /** All of it with every turn: what a turn is told stays in force, and a turn of another client may have changed it. */
  turnParams(models: readonly NativeModel[], policy: Policy): TurnParams {
    const { variant } = this.#settings
    const choice = variant === undefined ? undefined : choiceOf(models, this.#model, variant)
    const effort = choice?.effort ?? this.#effort
    return {
      ...policy,
      ...(this.#model && { model: this.#model }),
      ...(effort !== undefined && { effort }),
      ...(choice !== undefined && { serviceTier: choice.tier }),
      ...this.#modeParams(effort),
    }
  }

  /** A turn has begun with these: one that was refused tells its thread nothing. */
  told({ collaborationMode }: TurnParams): void {
    if (collaborationMode) this.#mode = collaborationMode.mode === "plan" ? "plan" : "build"
  }

  #modeParams(effort: string | undefined): Pick<TurnStartParams, "collaborationMode"> {
    const mode = this.#settings.agentMode === "plan" ? "plan" : "build"
    if (mode === this.#mode) return {}
    const settings = { model: this.#model, reasoning_effort: effort ?? null, developer_instructions: null }
    return { collaborationMode: { mode: mode === "plan" ? "plan" : "default", settings } }
  }
}
