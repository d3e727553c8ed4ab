/** What ACP has no word for, and is done over REST while everything else goes through the face. */
export const overRest = {
  steer: "a prompt waits for the turn that runs; a message for that turn itself is sent over REST",
  env: "`session/new` takes no environment: such a session is created over REST and loaded",
  always:
    "a client is offered what an agent that speaks ACP itself offers: where that is nothing for `always`, it is said over REST",
  lists: "modes and models of an agent that has no session yet",
  log: "events, items, blobs and metrics: the log is the witness of what the client was told",
} as const

export type OverRest = keyof typeof overRest

/** Fields of a new session that only REST takes. */
export const createdOverRest: readonly string[] = ["env", "systemPrompt", "nativeSessionId"]
