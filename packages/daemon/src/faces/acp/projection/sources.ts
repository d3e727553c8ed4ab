import type { Session } from "@sandbox-agent/schema/session"
import type { Catalog, PassthroughSettings } from "../../../core/driver.ts"

/** Settings of a session that a client can see and change. */
export type Settings = Pick<Session, "agentMode" | "permissionMode" | "model" | "variant">

/** What an event names and does not hold. Any of it may be missing: then the client gets less, never nothing. */
export interface Sources {
  /** Bytes of a picture as base64. Without them (gone, or too large for a message) the client gets a link. */
  image?(blob: string): string | undefined
  /** The session's settings as they stand and what its agent offers: a `config_option_update` is always complete. */
  options?(): { settings: Settings; catalog: Catalog; passthrough?: PassthroughSettings } | undefined
}
