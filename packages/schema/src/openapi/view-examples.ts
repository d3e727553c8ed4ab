import { capabilityNames } from "../agent.ts"

const cannot = ["sharedProcess"]
const capabilities = Object.fromEntries(capabilityNames.map((name) => [name, !cannot.includes(name)]))
const process = { status: "running", pid: 4242, uptimeMs: 61_000, rssBytes: 268_435_456, restartCount: 0 }
const session = { agent: "claude", sessionId: "demo" }

/** What agents, files and the rest of what is answered look like. */
export const viewExamples: Readonly<Record<string, readonly unknown[]>> = {
  Capabilities: [capabilities],
  AgentProcess: [process],
  Agent: [
    {
      id: "claude",
      name: "Claude Code",
      stability: "stable",
      installed: true,
      version: "2.1.325",
      path: "/data/bin/claude/2.1.325/claude",
      source: "managed",
      credentialsAvailable: true,
      credentials: "available",
      capabilities,
      process,
    },
  ],
  AgentError: [
    {
      code: "unavailable",
      message: "Claude Code has no credentials",
      ...session,
      hint: "Set ANTHROPIC_API_KEY where the daemon runs, or in `env` of the session.",
    },
  ],
  InstallErrorEvent: [
    {
      type: "error",
      problem: "urn:sandbox-agent:error:install_failed",
      title: "Install failed",
      status: 500,
      detail: "the registry cannot be reached",
      hint: "Check the network or a mirror setting.",
      agent: "claude",
    },
  ],
  QueuedMessage: [{ messageId: "m-2", turnId: "turn_2", position: 0, delivery: "queue" }],
  Ticket: [{ ticket: "PUfghPghY6PpAgnX6V6b0Itk-2jtKmQ1", expiresAtMs: 1_794_778_434_206 }],
  RedeemedTicket: [{ token: "the token of the daemon" }],
  AcpServer: [{ serverId: "my-app", agent: "claude", createdAtMs: 1_794_778_404_206 }],
  McpProgram: [{ command: "mcp-files", args: ["/workspace"] }],
  McpAddress: [{ type: "http", url: "https://mcp.example.com" }],
  PermissionDetail: [{ command: "npm test" }],
  QuestionOption: [{ label: "Red", description: "The colour of the old page" }],
  QuestionPart: [
    {
      id: "colour",
      prompt: "Which colour?",
      type: "choice",
      options: [{ label: "Red" }, { label: "Blue" }],
      multi_select: false,
      allow_other: true,
    },
  ],
  PlanEntry: [{ content: "Find the failing test", status: "in_progress" }],
  Command: [{ name: "review", description: "Review the changes that are not committed", hint: "[what to review]" }],
  DeltaPart: [{ index: 0, type: "text" }],
  ProcessPort: [{ port: 5173, address: "127.0.0.1" }],
  FileStat: [
    {
      path: "/workspace/app.ts",
      entryType: "file",
      size: 2048,
      modified: "2026-11-15T03:16:07.802Z",
      mode: "0644",
      realPath: "/workspace/app.ts",
      uid: 1000,
      gid: 1000,
      links: 1,
      etag: '"1p8-1kw-k3v8-k3v8"',
    },
  ],
  NamedFile: [{ path: "/workspace/src" }],
  MovedFile: [{ from: "/workspace/old.ts", to: "/workspace/new.ts" }],
  SkippedFile: [{ path: "pipe", reason: "a pipe" }],
  CopiedFiles: [{ from: "/workspace/app", to: "/workspace/app-2", files: 12, bytes: 40_960, skipped: [] }],
  UploadedFiles: [
    {
      paths: ["/workspace/app.ts"],
      truncated: false,
      files: 1,
      directories: 0,
      links: 0,
      bytes: 2048,
      skipped: [],
      skippedCount: 0,
    },
  ],
  FileChange: [{ type: "ready" }, { type: "modified", path: "/workspace/app.ts", entryType: "file" }],
  SearchMatch: [{ type: "match", path: "/workspace/app.ts", line: 12, column: 3, text: "// TODO: empty lines" }],
  SearchName: [{ type: "name", path: "/workspace/app.ts", entryType: "file", score: 42 }],
  SearchDone: [{ type: "done", files: 120, matches: 1, large: 0, truncated: false }],
}
