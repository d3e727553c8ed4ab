import type { JsonObject } from "./json.ts"

export interface ListedModel {
  id: string
  displayName?: string
}

export const DEFAULT_MODELS: ListedModel[] = [
  { id: "scripted-1", displayName: "Scripted One" },
  { id: "claude-opus-5-5", displayName: "Claude Opus 5.5" },
  { id: "gpt-5.5", displayName: "GPT-5.5" },
]

const CREATED = Date.UTC(2026, 0, 1)

export type ModelShape = "anthropic" | "openai"

export function modelList(models: readonly ListedModel[], shape: ModelShape): JsonObject {
  const data = models.map((model) => modelObject(model, shape))
  if (shape === "openai") return { object: "list", data }
  return { data, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null }
}

export function modelObject({ id, displayName }: ListedModel, shape: ModelShape): JsonObject {
  if (shape === "openai") return { id, object: "model", created: CREATED / 1000, owned_by: "scripted-model" }
  return { type: "model", id, display_name: displayName ?? id, created_at: new Date(CREATED).toISOString() }
}
