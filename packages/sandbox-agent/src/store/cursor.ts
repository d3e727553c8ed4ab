import { SandboxAgentError } from "../errors.ts"

/** A place in a list that is sorted by creation, then by number. */
export interface Place {
  createdAt: string
  uid: string
}

export const cursorOf = ({ createdAt, uid }: Place): string => `${createdAt} ${uid}`

export function placeOf(cursor: string): Place {
  const [createdAt, uid] = cursor.split(" ")
  if (createdAt === undefined || uid === undefined || !/^\d+$/.test(uid))
    throw new SandboxAgentError("argument", `cursor: ${JSON.stringify(cursor)} is none of this store`)
  return { createdAt, uid }
}
