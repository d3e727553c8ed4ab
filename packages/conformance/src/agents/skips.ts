import type { Skip, Subject } from "../subject.ts"

/** What the protocol has no words for, whatever the agent. */
export const acpLacks = {
  words: "an answer of ACP has no place for words: they stand in the transcript, and the model has only the refusal",
  retries: "ACP does not say that a request to the model is made again: its half stays what was said",
  brokenServers: "ACP has no word for an MCP server that does not start",
  skills: "ACP has no word for skills: a session that would have some is refused",
} satisfies Subject["lacks"]

export const processPerSession: Skip = {
  reason: "each session has a process of its own",
  tests: ["two sessions share one process, and the end of one leaves the other"],
}

export const noPlanApproval: Skip = {
  reason: "ACP has no question for a plan: it comes as a permission",
  tests: ["an approved plan leaves permission mode plan, a rejected one takes the message back"],
}

export const noSteer: Skip = {
  reason: "the agent takes nothing while a turn runs",
  tests: ["a steered message is taken by the running turn or by the next one"],
}

export const noFork: Skip = {
  reason: "the agent cannot fork a session",
  tests: ["a fork stands alone: it has the items so far, and goes its own way"],
}

export const noVariants: Skip = { reason: "the agent has no variants", tests: ["variants are listed and switched"] }

export const noModes: Skip = {
  reason: "its modes say what it asks for: they are permission modes",
  tests: [
    "modes are listed and switched, an unknown one is refused",
    "agent mode plan does not keep the agent from writing",
  ],
}

export const noSubagents: Skip = {
  reason: "what a sub-agent does is not told",
  tests: ["what a sub-agent does hangs on the call that started it"],
}

export const noQuestions: Skip[] = [
  {
    reason: "the agent asks no questions over ACP",
    tests: [
      "a question is answered with one of its choices",
      "several questions are answered at once, with several choices and with free text",
      "a question comes also where no permission is asked",
      "a rejected question goes back to the agent, and the model goes on",
      "the words of a rejected question reach the model",
    ],
  },
]

export const noPlans: Skip = { reason: "the agent does not tell its plan", tests: ["a plan is told as it changes"] }

export const noNotes: Skip = {
  reason: "the agent tells nothing of its own life",
  tests: ["notes of the agent's own life are status items with its name"],
}

export const noResume: Skip = {
  reason: "the agent does not find its own sessions again",
  tests: [
    "after kill -9 of the agent the turn ends, and the next message resumes it",
    "after kill -9 of the daemon the log is whole, the turn ended, and the session goes on",
    "a terminated session is brought back, and its log goes on",
  ],
}
