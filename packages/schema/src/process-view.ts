import { z } from "zod"
import { EncodingSchema } from "./process.ts"

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
