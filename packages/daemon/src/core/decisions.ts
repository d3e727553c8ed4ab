import type { Permission, Question } from "@sandbox-agent/schema/request"

/** What a person decided, in one line for a brief. */
export function decisionText(decided: Permission | Question): string {
  const line = "permission_id" in decided ? permissionText(decided) : questionText(decided)
  return line.replaceAll(/\s+/g, " ")
}

const verdicts: Partial<Record<Permission["status"], string>> = {
  accept: "Allowed",
  accept_for_session: "Allowed for the whole session",
  reject: "Refused",
}

function permissionText({ status, action, detail, message }: Permission): string {
  const about = detail?.command ?? detail?.path
  const what = about === undefined || action.includes(about) ? action : `${action}: ${about}`
  return `${verdicts[status] ?? status}: ${what}${message ? ` (${message})` : ""}`
}

function questionText({ status, prompt, questions, answers, purpose, message }: Question): string {
  const words = message ? ` (${message})` : ""
  if (purpose === "plan_approval")
    return `${answers?.[0]?.[0] === "Approve" ? "Approved" : "Did not approve"} the plan${answerWords(answers)}${words}: ${prompt}`
  if (status !== "answered") return `Did not answer: ${prompt}${words}`
  const each = questions.map((part, i) => {
    const given = part.secret ? "(kept secret)" : (answers?.[i] ?? []).join(", ")
    return `${part.prompt} → ${given || "(nothing)"}`
  })
  return `Asked: ${each.join("; ")}`
}

/** Words of one's own beside the choice. */
function answerWords(answers: Question["answers"]): string {
  const freeText = (answers?.[0] ?? []).filter((answer) => answer !== "Approve" && answer !== "Reject")
  return freeText.length === 0 ? "" : ` (${freeText.join(", ")})`
}
