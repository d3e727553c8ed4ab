import type { AcpTraits } from "@sandbox-agent/schema/registry"
import type { OpenOptions } from "../../core/driver.ts"

/** Which sessions may be in one process, of those with the same program and environment. */
export type Sharing = NonNullable<AcpTraits["sessions"]>

/**
 * The protocol has many sessions on one connection, and editors use agents so: one process for a project. Nobody knows of
 * an agent that was not tried whether it tells folders apart, so it gets one for each.
 */
export const sharingOf = ({ sessions = "directory" }: AcpTraits): Sharing => sessions

/**
 * What sessions of one process have in common beside program and environment. Of an agent that was not tried also what a
 * session must not get from another if the agent mixed them up: its servers, and that nobody is asked.
 */
export const commonOf = (sharing: Sharing, { directory, settings }: Pick<OpenOptions, "directory" | "settings">) =>
  sharing === "many" ? [] : [directory, settings.mcp ?? {}, settings.permissionMode === "bypass"]

/** It was asked for a second session and could not hold it beside the first. */
export class OneSessionOnly extends Error {}
