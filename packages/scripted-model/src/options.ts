import type { ListedModel } from "./models.ts"
import type { Answer, AnswerFunction } from "./part.ts"
import type { AnsweredSide } from "./request.ts"
import type { ScriptItem } from "./step.ts"

export interface ScriptedModelOptions {
  /** Any free port when left out. */
  port?: number
  /** The shared script; more can follow with `script`. */
  script?: readonly ScriptItem[]
  /** What `GET /v1/models` lists. */
  models?: readonly ListedModel[]
  /** What `POST /v1/messages/count_tokens` answers. */
  countTokens?: number
  /** Answers to side requests of every session, in place of the defaults. */
  sides?: Partial<Record<AnsweredSide, Answer | AnswerFunction>>
}
