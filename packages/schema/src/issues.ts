import type { z } from "zod"

/** What is wrong with what a client sent: the place, and what would be right there. */
export interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Of a name that is not allowed, zod says only that it is none; of what may have several shapes, only that it has none. */
export const issuesOf = (error: z.ZodError): Issue[] => error.issues.flatMap((issue) => detailed(issue, []))

function detailed(issue: z.core.$ZodIssue, before: readonly PropertyKey[]): Issue[] {
  const path = [...before, ...issue.path]
  if (issue.code === "invalid_key") return [{ path, message: issue.issues.map(({ message }) => message).join(", ") }]
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [{ path, message: issue.message }]
  const shapes = issue.errors.map((issues) => issues.flatMap((one) => detailed(one, path)))
  const fewest = Math.min(...shapes.map(({ length }) => length))
  const [meant = [], ...others] = shapes.filter(({ length }) => length === fewest)
  if (others.length === 0) return meant
  // As near to one as to another: each is told.
  return [{ path, message: [...new Set([meant, ...others].flat().map(({ message }) => message))].join(", or ") }]
}
