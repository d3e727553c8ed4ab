import type { ReactNode } from "react"

export function Field({
  label,
  hint,
  bad,
  children,
}: {
  label: string
  hint?: string | undefined
  bad?: boolean
  children: ReactNode
}) {
  return (
    <label className="field">
      <span>{label}</span>
      {children}
      {hint && <small className={bad ? "bad" : ""}>{hint}</small>}
    </label>
  )
}

/** What a field of JSON holds; nothing when it is empty. */
export function jsonField(text: string): { value?: unknown; error?: string } {
  if (text.trim() === "") return {}
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error: `Not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}
