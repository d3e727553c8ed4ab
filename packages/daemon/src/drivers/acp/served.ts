import type { PermissionMode } from "@sandbox-agent/schema/session"
import type { Json } from "../shared/json.ts"
import { rpcCodes } from "./peer.ts"

/** What the agent asked of us cannot be done as it was asked. */
export class InvalidParams extends Error {
  readonly code: number = rpcCodes.invalidParams
}

export class Missing extends InvalidParams {
  override readonly code: number = rpcCodes.notFound
}

export type Service = (params: Json) => Json | Promise<Json>

/** In permission mode `plan` nothing is written, also not through us. */
export function unlessPlanning(mode: () => PermissionMode, serve: Service): Service {
  return (params) => {
    if (mode() === "plan") throw new InvalidParams("permission mode plan cannot write")
    return serve(params)
  }
}
