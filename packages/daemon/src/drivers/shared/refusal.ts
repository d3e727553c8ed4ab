const opening = "The user did not allow this tool call."

/** What the model is told when a tool was refused: refusing is not stopping. */
export const refusalText = (reason: string | undefined): string =>
  `${opening} Do not try it again in another way; go on without it.${reason ? ` Reason: ${reason}` : ""}`

/** Some agents name a session after the first prompt that they finished, and these are no words of the user. */
export const isRefusal = (title: string): boolean => title.startsWith(opening)
