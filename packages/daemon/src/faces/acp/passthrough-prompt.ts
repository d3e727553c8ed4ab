import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { PassthroughBlock, PassthroughPrompt } from "@sandbox-agent/schema/passthrough-prompt"
import { isRecord } from "./projection/envelope.ts"

/**
 * What an agent that speaks ACP is to be given of a prompt: the blocks as they are, and what else the request says. Undefined
 * for words alone, which the message has.
 */
export function passthroughPrompt(params: unknown, blocks: readonly PassthroughBlock[]): PassthroughPrompt | undefined {
  const { sessionId: _, prompt: __, ...others } = isRecord(params) ? params : {}
  const [only] = blocks
  const isBare = Object.keys(others).length === 0
  if (isBare && blocks.length === 1 && only?.block.type === "text" && Object.keys(only.block).length === 2)
    return undefined
  const beside = JSON.stringify([blocks.map(({ block }) => withoutWords(block)), others]).length
  if (beside > acpLimits.promptFieldsChars)
    throw new SandboxAgentError(
      "payload_too_large",
      `prompt: more than ${acpLimits.promptFieldsChars} characters beside its words and bytes`,
      { limit: acpLimits.promptFieldsChars },
    )
  return { blocks, params: others }
}

/** Words have a limit of their own. */
function withoutWords(block: PassthroughBlock["block"]): object {
  const { resource } = block
  return { ...block, text: "", ...(isRecord(resource) && { resource: { ...resource, text: "" } }) }
}
