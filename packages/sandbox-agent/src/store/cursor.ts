import { SandboxAgentError } from "../errors.ts"

/** A position in a list that is sorted by creation, then by number. */
export interface ListPosition {
  createdAt: string
  uid: string
}

export const cursorOf = ({ createdAt, uid }: ListPosition): string => `${createdAt} ${uid}`

export function parseCursor(cursor: string): ListPosition {
  const [createdAt, uid] = cursor.split(" ")
  if (createdAt === undefined || uid === undefined || !/^\d+$/.test(uid))
    throw new SandboxAgentError("argument", `cursor: ${JSON.stringify(cursor)} is none of this store`)
  return { createdAt, uid }
}
