const config = {
  maxConcurrentProcesses: 64,
  defaultRunTimeoutMs: 30_000,
  maxRunTimeoutMs: 3_600_000,
  maxOutputBytes: 1_048_576,
  maxLogBytesPerProcess: 10_485_760,
  maxInputBytesPerRequest: 1_048_576,
}

/** What the parts that are about processes look like. */
export const processExamples: Readonly<Record<string, readonly unknown[]>> = {
  RunProcessRequest: [
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
  ProcessLogEntry: [
    { sequence: 1, stream: "stdout", timestampMs: 1_794_778_404_239, data: "aGVsbG8K", encoding: "base64" },
  ],
  ProcessExit: [{ exitCode: 0, signal: null, timedOut: false, durationMs: 5120 }],
}
