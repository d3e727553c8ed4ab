import { pathToFileURL } from "node:url"
import { AcpRpcError, type ContentBlock, type EnvelopeId } from "acp-http-client"
import { Refused } from "../refused.ts"
import { type DaemonMeta, daemonMetaIn } from "./daemon-meta.ts"
import type { FaceClient } from "./face-client.ts"

/** How a prompt was answered. */
export interface PromptEnd {
  stop: string
  turnId?: string
  messageId?: string
}

export interface Prompt {
  session: string
  rpcId: () => EnvelopeId | undefined
  /** Rejects with `Refused` when no turn will take it. */
  ended: Promise<PromptEnd>
  end?: PromptEnd
  messageId?: string
}

interface Attached {
  data?: string
  mime?: string
  filename?: string
  path?: string
}

export const blocksOf = (message: string, attachments: readonly Attached[], directory: string): ContentBlock[] => [
  { type: "text", text: message },
  ...attachments.map(({ data, mime, filename, path }): ContentBlock => {
    if (data !== undefined) return { type: "image", data, mimeType: mime ?? "application/octet-stream", uri: filename }
    const uri = pathToFileURL(`${directory}/${path}`).href
    return { type: "resource_link", name: path ?? "", uri }
  }),
]

/** Sends a prompt. A turn that ends with an error answers with an error, which is no failure of the client. */
export function sendPrompt(client: FaceClient, session: string, prompt: ContentBlock[]): Prompt {
  const params = { sessionId: session, prompt }
  const sent: Prompt = {
    session,
    rpcId: () => client.idOf(params),
    ended: client.http.prompt(params).then(
      (result) => ({ stop: result.stopReason, ...turnAndMessageOf(daemonMetaIn(result)) }),
      (error: unknown) => {
        if (!(error instanceof AcpRpcError)) throw error
        const { code, turnId, messageId } = (error.data ?? {}) as DaemonMeta & { code?: string }
        if (turnId === undefined) throw new Refused(code ?? "unknown", error.message)
        return { stop: "error", turnId, messageId }
      },
    ),
  }
  sent.ended.then(
    (end) => {
      sent.end = end
    },
    // Whoever waits for it is told.
    () => {},
  )
  return sent
}

const turnAndMessageOf = ({ turnId, messageId }: DaemonMeta) => ({ turnId, messageId })
