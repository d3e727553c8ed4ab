import { z } from "zod"
import { EncodingSchema, LogStreamSchema, ProcessOwnerSchema } from "./process.ts"

export const OmittedSchema = z.object({
  offset: z.number().int().describe("bytes before what was left out"),
  bytes: z.number().int(),
})

export const RanProcessSchema = z.object({
  exitCode: z.number().int().nullable().describe("null when a signal ended it"),
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  durationMs: z.number().int(),
  stdout: z.string(),
  stderr: z.string(),
  stdoutTruncated: z.boolean(),
  stderrTruncated: z.boolean(),
  stdoutBytes: z.number().int().describe("all that it wrote"),
  stderrBytes: z.number().int(),
  stdoutOmitted: OmittedSchema.optional(),
  stderrOmitted: OmittedSchema.optional(),
  encoding: EncodingSchema,
})

export const ProcessStreamSchema = z.enum(["stdout", "stderr", "pty"])

export const ProcessLogEntrySchema = z.object({
  sequence: z.number().int(),
  stream: ProcessStreamSchema,
  timestampMs: z.number().int(),
  data: z.string(),
  encoding: z.literal("base64"),
})

export const ProcessExitSchema = z.object({
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  timedOut: z.boolean().optional(),
  durationMs: z.number().int().optional(),
})

export const ProcessConfigViewSchema = z.object({
  maxConcurrentProcesses: z.number().int().describe("that live at once, terminals and runs among them"),
  defaultRunTimeoutMs: z.number().int().describe("of a run that names no time"),
  maxRunTimeoutMs: z.number().int().describe("the longest that a run may name"),
  maxOutputBytes: z.number().int().describe("kept of stdout, and of stderr, of a run"),
  maxLogBytesPerProcess: z.number().int().describe("kept on disk of what one process wrote"),
  maxInputBytesPerRequest: z.number().int(),
})

export const ProcessPortSchema = z.object({
  port: z.number().int(),
  address: z.string().describe("`0.0.0.0` and `::` are all of the machine's"),
})

export const ProcessEndReasonSchema = z.enum(["exited", "signal", "daemon_stopped", "daemon_killed"])

export const ProcessSchema = z.object({
  id: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  tty: z.boolean(),
  interactive: z.boolean(),
  owner: ProcessOwnerSchema,
  sessionId: z.string().optional(),
  status: z.enum(["running", "exited"]),
  pid: z.number().int().optional(),
  exitCode: z.number().int().optional(),
  signal: z.string().optional(),
  reason: ProcessEndReasonSchema.optional().describe("why it is no longer running"),
  createdAtMs: z.number().int(),
  exitedAtMs: z.number().int().optional(),
  ports: z.array(ProcessPortSchema).describe("TCP ports that it listens on, itself or by what it started (Linux)"),
  cols: z.number().int().optional().describe("of its terminal"),
  rows: z.number().int().optional(),
  title: z.string().optional().describe("that its program gave its terminal"),
  viewers: z.number().int().optional().describe("how many look at its terminal"),
  firstSequence: z.number().int().optional().describe("of its log, as far as that is kept"),
  lastSequence: z.number().int().optional(),
})

export const ProcessLogsSchema = z.object({
  processId: z.string(),
  stream: LogStreamSchema,
  firstSequence: z.number().int().describe("what came before is no longer kept"),
  lastSequence: z.number().int(),
  entries: z.array(ProcessLogEntrySchema),
})

export const ProcessPortEventSchema = z.object({
  ...ProcessPortSchema.shape,
  sequence: z.number().int(),
  timestampMs: z.number().int(),
  state: z.enum(["open", "closed"]),
})

export const ProcessGapSchema = z.object({
  firstSequence: z.number().int().describe("where it goes on: what came before is no longer kept"),
})

export const ProcessEndSchema = z.object({
  exitCode: z.number().int().optional(),
  signal: z.string().optional(),
  reason: ProcessEndReasonSchema,
})

export const WrittenInputSchema = z.object({ bytesWritten: z.number().int() })

export const TerminalSizeViewSchema = z.object({
  cols: z.number().int().describe("as they are now"),
  rows: z.number().int(),
})

export const TicketSchema = z.object({
  ticket: z.string().describe("opens this terminal once, as `?ticket=`"),
  expiresAtMs: z.number().int(),
})
