import { isDeeperThan } from "@sandbox-agent/schema/json-depth"
import { limits } from "@sandbox-agent/schema/limits"
import type { SpawnOptions } from "../../core/supervisor.ts"

type OnPassedOver = (raw: string, error: Error) => void

/** For an agent that says JSON in lines: one that is too long or too deep to be read is passed over, and so told. */
export const readableLines = (
  onLine: (raw: string) => void,
  onPassedOver: OnPassedOver | undefined,
): Required<Pick<SpawnOptions, "onLine" | "onOversize">> => ({
  onLine(raw) {
    if (!isDeeperThan(raw, limits.agentLineDepth)) return onLine(raw)
    onPassedOver?.(raw, new Error(`A line nested deeper than ${limits.agentLineDepth} levels was passed over`))
  },
  onOversize: (head, bytes) => onPassedOver?.(head, new Error(`A line of ${bytes} bytes was passed over`)),
})
