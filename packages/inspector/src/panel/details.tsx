import type { Session, TranscriptState } from "sandbox-agent"
import { CodeBlock } from "../content/code-block.tsx"
import { useFrames } from "../store.ts"
import { cost, exact } from "../ui/words.ts"

/** Everything the daemon tells of a session. */
export function Details({ session }: { session: Session }) {
  const { session: info, sequence } = useFrames<TranscriptState>(session.transcript)
  if (info === undefined) return <div className="shape late" />
  const { usage } = info
  const rows: [string, string | number | undefined][] = [
    ["Session", info.id],
    ["Agent", `${info.agent}${info.agentVersion ? ` ${info.agentVersion}` : ""}`],
    ["Native session", info.nativeSessionId],
    ["Status", info.status],
    ["Failed with", info.error && `${info.error.code}: ${info.error.message}`],
    ["Agent process", info.agentProcess],
    ["Agent mode", info.agentMode],
    ["Permission mode", info.permissionMode],
    ["Model", info.model],
    ["Variant", info.variant],
    ["Directory", info.directory],
    ["In the background", info.background || undefined],
    ["Queue", info.queue.length || undefined],
    ["Events", `${info.firstSequence} to ${sequence}`],
    ["Created", exact(info.createdAt)],
    ["Changed", exact(info.updatedAt)],
    ["Ended", info.endedAt && exact(info.endedAt)],
    ["Tokens in", usage?.input_tokens],
    ["Tokens out", usage?.output_tokens],
    ["Tokens from cache", usage?.cached_tokens],
    ["Tokens of reasoning", usage?.reasoning_tokens],
    ["Context", usage?.context_size ? `${usage.context_used ?? 0} of ${usage.context_size}` : undefined],
    ["Cost", usage?.cost_usd === undefined ? undefined : cost(usage.cost_usd)],
  ]
  return (
    <>
      <dl className="facts-list">
        {rows.flatMap(([name, value]) =>
          value === undefined
            ? []
            : [
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>,
              ],
        )}
      </dl>
      {Object.keys(info.metadata).length > 0 && (
        <CodeBlock code={JSON.stringify(info.metadata, null, 2)} language="json" />
      )}
    </>
  )
}
