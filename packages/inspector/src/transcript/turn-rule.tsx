import { memo } from "react"
import type { Session, TranscriptTurn } from "sandbox-agent"
import { adjust } from "../route.ts"
import { Icon } from "../ui/icon.tsx"
import { cost, count, exact } from "../ui/words.ts"
import { Elapsed } from "./elapsed.tsx"

/** Where a turn begins: its number, how long it took and what it cost; a click shows where its time went. */
export const TurnRule = memo(
  ({ session, turn, number }: { session: Session; turn: TranscriptTurn; number?: number | undefined }) => {
    const { ended } = turn
    const usage = ended?.usage
    const begun = session.transcript.spanOf(turn.turn_id)?.startedAt
    const tokens = usage === undefined ? 0 : usage.input_tokens + usage.output_tokens
    return (
      <button
        type="button"
        className="turn"
        title={begun === undefined ? undefined : exact(begun)}
        onClick={() => adjust({ tab: "timeline", item: turn.turn_id })}
      >
        <span>Turn{number === undefined ? "" : ` ${number}`}</span>
        <Elapsed session={session} from={turn.turn_id} to={turn.turn_id} runs={ended === undefined} />
        {tokens > 0 && <span>{count(tokens)} tokens</span>}
        {ended?.cost_usd !== undefined && <span>{cost(ended.cost_usd)}</span>}
        <span className="said">, show where its time went</span>
        <hr />
      </button>
    )
  },
)

const words: Record<string, string> = {
  cancelled: "Stopped.",
  max_tokens: "The answer reached the most tokens the model may say.",
  max_turn_requests: "The turn reached the most requests it may make.",
  refusal: "The model refused.",
}

/** How a turn ended that did not end by itself. */
export function TurnEnding({ turn: { ended } }: { turn: TranscriptTurn }) {
  if (ended === undefined) return null
  const { error } = ended
  if (error === undefined)
    return (
      <p className="note">
        <Icon name="stop" size={14} /> {words[ended.stop_reason] ?? `The turn ended: ${ended.stop_reason}.`}
      </p>
    )
  const stderr = error.stderr
  const lines = typeof stderr === "string" ? stderr : [stderr?.head, stderr?.tail].filter(Boolean).join("\n…\n")
  return (
    <div className="failure" role="group" aria-label="The turn failed">
      <p>
        <Icon name="alert" /> <b>The turn failed:</b> {error.message}
      </p>
      <p className="soft">
        <code>{error.code}</code>
        {error.exit_code !== undefined && <> · exit code {error.exit_code}</>}
        {error.signal !== undefined && <> · {error.signal}</>}
      </p>
      {lines !== "" && <pre className="output">{lines}</pre>}
    </div>
  )
}
