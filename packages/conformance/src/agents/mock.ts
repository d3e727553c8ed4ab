import type { Subject } from "../subject.ts"

/** The scripted agent: each act is one of its commands. */
export const mock: Subject = {
  agent: "mock",
  acts: {
    say: (text) => text,
    think: (text) => `/think ${text}\n/echo done`,
    tool: () => '/tool Look {"at":"this"}',
    run: (command) => `/run ${command}`,
    askToRun: (command) => `/run ${command}`,
    write: (path, text) => `/edit ${path} ${text}`,
    // Its script is not asked for; what asks is a command of its own.
    askToWrite: (path) => `/permission touch ${path}`,
    question: () => "/question",
    questions: () => "/questions",
    plan: () => "/plan",
    todo: () => "/todo",
    usage: () => "/usage",
    subagent: () => "/subagent",
    longText: () => "/flood 1000000 100",
    longRun: (command) => `/run ${command}`,
    fail: (text) => `/error ${text}`,
    note: () => "/sleep 1",
    // Its answer to plain text names what came with it.
    look: () => "what is this",
    sees: () => "what is this",
  },
  skip: [
    {
      reason: "the mock starts no MCP servers",
      tests: [
        "an MCP server given at create is called",
        "an MCP server configured for the directory is called",
        "an MCP server that does not start is told",
      ],
    },
    {
      reason: "each session has a process of its own",
      tests: ["two sessions share one process, and the end of one leaves the other"],
    },
  ],
  lacks: { faults: "the mock has no model that could fail", skills: "the mock takes no skills" },
}
