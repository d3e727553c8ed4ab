import { limits } from "@sandbox-agent/schema/limits"
import type { Host } from "../../core/driver.ts"

/** How long an agent has to start and to open its session, as the daemon was told. */
export const openMsOf = ({ intervals }: Pick<Host, "intervals">): number => intervals?.openMs ?? limits.openMs
