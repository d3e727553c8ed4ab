import { access } from "node:fs/promises"

/** Whether there is something at this path that we can see. */
export const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
