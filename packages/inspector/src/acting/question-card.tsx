import { useState } from "react"
import type { Question, Session } from "sandbox-agent"
import { Link, Markdown } from "../content/markdown.tsx"
import { Icon } from "../ui/icon.tsx"
import { attempt } from "../ui/notices.tsx"

type Part = Question["questions"][number]

/** One or several questions, answered together. */
export function QuestionCard({ session, question, agent }: { session: Session; question: Question; agent: string }) {
  const [chosen, setChosen] = useState<readonly (readonly string[])[]>(() => question.questions.map(() => []))
  const [other, setOther] = useState<readonly string[]>(() => question.questions.map(() => ""))
  const [sent, setSent] = useState(false)
  const send = (work: Promise<unknown>) => {
    setSent(true)
    attempt(
      work.catch((error: unknown) => {
        setSent(false)
        throw error
      }),
    )
  }
  const answers = question.questions.map((_, at) => {
    const typed = other[at]?.trim() ?? ""
    return [...(chosen[at] ?? []), ...(typed === "" ? [] : [typed])]
  })
  const isWhole = question.questions.every(
    (part, at) => part.required === false || part.type === "text" || (answers[at]?.length ?? 0) > 0,
  )
  const only = question.questions.length === 1 ? question.questions[0] : undefined
  const isPlain = only !== undefined && only.type === "choice" && !only.multi_select && only.options.length > 0
  const pick = (at: number, label: string, part: Part) => {
    if (isPlain && !(other[0] ?? "").trim()) return send(session.replyQuestion(question.question_id, [[label]]))
    setChosen((all) => {
      const had = all[at] ?? []
      const next = part.multi_select
        ? had.includes(label)
          ? had.filter((one) => one !== label)
          : [...had, label]
        : [label]
      return all.with(at, next)
    })
  }
  return (
    <section className="card waits" tabIndex={-1} aria-label={`Question: ${question.prompt}`}>
      <p className="asks">
        <Icon name="hand" />
        <span>
          <b>{agent}</b> {question.purpose === "plan_approval" ? "asks you to approve its plan" : "asks"}
        </span>
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isWhole) send(session.replyQuestion(question.question_id, answers))
        }}
      >
        {question.questions.map((part, at) => (
          <fieldset key={part.id}>
            <legend>{part.header ?? "Question"}</legend>
            <Markdown text={part.prompt} />
            {part.url && <Link href={part.url}>{part.url}</Link>}
            <div className="options">
              {(part.type === "boolean" && part.options.length === 0 ? yesNo : part.options).map(
                ({ label, description }) => (
                  <button
                    key={label}
                    type="button"
                    disabled={sent}
                    aria-pressed={chosen[at]?.includes(label) ?? false}
                    onClick={() => pick(at, label, part)}
                  >
                    {part.multi_select && <Icon name={chosen[at]?.includes(label) ? "check" : "plus"} size={14} />}
                    <span>
                      {label}
                      {description && <small>{description}</small>}
                    </span>
                  </button>
                ),
              )}
            </div>
            {(part.allow_other || part.type === "text" || part.type === "number") && (
              <input
                type={part.secret ? "password" : part.type === "number" ? "number" : "text"}
                aria-label={`${part.header ?? part.prompt}: in your words`}
                placeholder={part.options.length > 0 ? "Something else" : "Your answer"}
                autoComplete="off"
                value={other[at] ?? ""}
                onChange={(event) => setOther((all) => all.with(at, event.target.value))}
              />
            )}
          </fieldset>
        ))}
        <div className="answers">
          {(!isPlain || only?.allow_other) && (
            <button type="submit" className="primary" disabled={sent || !isWhole}>
              Answer
            </button>
          )}
          <button
            type="button"
            className="quiet"
            disabled={sent}
            onClick={() => send(session.rejectQuestion(question.question_id))}
          >
            Decline
          </button>
        </div>
      </form>
    </section>
  )
}

const yesNo: Part["options"] = [
  { label: "true", description: "Yes" },
  { label: "false", description: "No" },
]
