/** The first word with which a driver starts this program again to be something for its agent; the agent's id follows. */
export const OWN_PROGRAM = "agent-program"

/** The words that start it; `self` are those that start this program. */
export const ownProgram = (self: readonly string[], agent: string): string[] => [...self, OWN_PROGRAM, agent]
