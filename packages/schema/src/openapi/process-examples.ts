const config = {
  maxConcurrentProcesses: 64,
  defaultRunTimeoutMs: 30_000,
  maxRunTimeoutMs: 3_600_000,
  maxOutputBytes: 1_048_576,
  maxLogBytesPerProcess: 10_485_760,
  maxInputBytesPerRequest: 1_048_576,
}

const process = {
  id: "proc_2b1e0f9c3a7d0Qx1",
  command: "npm",
  args: ["run", "dev"],
  cwd: "/workspace",
  tty: false,
  interactive: false,
  owner: "user",
  status: "running",
  pid: 4711,
  createdAtMs: 1_794_778_404_206,
  ports: [{ port: 5173, address: "127.0.0.1" }],
  firstSequence: 1,
  lastSequence: 42,
}
const entry = { sequence: 1, stream: "stdout", timestampMs: 1_794_778_404_239, data: "aGVsbG8K", encoding: "base64" }

/** What the parts that are about processes look like. */
export const processExamples: Readonly<Record<string, readonly unknown[]>> = {
  RunProcessRequest: [
    { command: "echo", args: ["hello"] },
    { command: "npm", args: ["test"], cwd: "/workspace", timeoutMs: 120_000 },
    { shell: "git diff | wc -l", sessionId: "demo" },
    { command: "cat", stdin: "hello" },
  ],
  RanProcess: [
    {
      exitCode: 0,
      signal: null,
      timedOut: false,
      durationMs: 5120,
      stdout: "12 passed\n",
      stderr: "",
      stdoutTruncated: false,
      stderrTruncated: false,
      stdoutBytes: 10,
      stderrBytes: 0,
      encoding: "utf8",
    },
  ],
  OmittedOutput: [{ offset: 524_288, bytes: 1_000_000 }],
  ProcessConfigRequest: [config],
  ProcessConfig: [config],
  ProcessLogEntry: [entry],
  StartProcessRequest: [
    { command: "sleep", args: ["60"] },
    { command: "npm", args: ["run", "dev"], cwd: "/workspace" },
    { shell: "make watch", sessionId: "demo", env: { LOG_LEVEL: "debug" } },
  ],
  Process: [
    process,
    { ...process, status: "exited", ports: [], exitCode: 0, reason: "exited", exitedAtMs: 1_794_778_409_326 },
  ],
  ProcessLogs: [{ processId: process.id, stream: "combined", firstSequence: 1, lastSequence: 1, entries: [entry] }],
  ProcessPortEvent: [{ sequence: 7, timestampMs: 1_794_778_405_010, port: 5173, address: "127.0.0.1", state: "open" }],
  ProcessGap: [{ firstSequence: 1201 }],
  ProcessEnd: [{ exitCode: 0, reason: "exited" }],
  ProcessInputRequest: [{ data: "eWVzCg==" }, { data: "yes\n", encoding: "utf8" }, { end: true }],
  ProcessSignalRequest: [{ signal: "SIGINT" }],
  StartTerminalRequest: [{}, { cwd: "/workspace", cols: 120, rows: 40 }, { command: "htop" }],
  TerminalSizeRequest: [{ cols: 120, rows: 40 }],
  TerminalSize: [{ cols: 120, rows: 40 }],
  TerminalTicket: [{ ticket: "dGhpcyBpcyBub3QgYSB0aWNrZXQ", expiresAtMs: 1_794_778_434_206 }],
  WrittenInput: [{ bytesWritten: 4 }],
  ProcessExit: [{ exitCode: 0, signal: null, timedOut: false, durationMs: 5120 }],
}
