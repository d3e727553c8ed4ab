import type { PlanEntry } from "sandbox-agent"
import { Icon } from "../ui/icon.tsx"

export function Plan({ entries }: { entries: readonly PlanEntry[] }) {
  const done = entries.filter(({ status }) => status === "completed").length
  const now =
    entries.find(({ status }) => status === "in_progress") ?? entries.find(({ status }) => status === "pending")
  return (
    <details className="plan">
      <summary>
        <Icon name="chevron" size={14} />
        <Icon name="plan" />
        <b>Plan</b>
        <span className="soft">
          {done} of {entries.length}
        </span>
        <span className="argument">{done === entries.length ? "all done" : now?.content}</span>
      </summary>
      <ol>
        {entries.map(({ content, status }) => (
          <li key={content} className={status}>
            <span className={`state ${status === "completed" ? "ok" : ""}`}>
              {status === "completed" ? (
                <Icon name="check" size={14} />
              ) : status === "in_progress" ? (
                <span className="spin" />
              ) : (
                <span className="blank" />
              )}
            </span>
            {content}
            <span className="said">{status.replace("_", " ")}</span>
          </li>
        ))}
      </ol>
    </details>
  )
}
