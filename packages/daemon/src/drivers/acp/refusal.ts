/** What the model is told when the agent ends its turn because a tool was refused: refusing is not stopping. */
const opening = "The user did not allow this tool call."

export const refusalOf = (message: string): string =>
  `${opening}${message ? ` Reason: ${message}` : ""} Do not try it again in another way; go on without it.`

/** Some name a session after the first prompt that they finished, and these are no words of the user. */
export const isRefusal = (title: string): boolean => title.startsWith(opening)
