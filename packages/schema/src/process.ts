import { z } from "zod"
import { limits } from "./limits.ts"
import { processLimits } from "./process-limits.ts"
import { environment, processText } from "./process-text.ts"
import { SessionIdSchema } from "./session.ts"

const words = processText.min(1).max(limits.messageTextBytes)

/** What every program that a client starts is told by. `null` is the same as nothing: some clients write it. */
const program = {
  command: words.nullish().describe("the program; found on PATH unless it has a slash"),
  args: z.array(processText).max(processLimits.arguments).nullish().describe("arguments of `command`"),
  shell: words.nullish().describe("a line for the shell, in place of `command` and `args`"),
  cwd: processText
    .min(1)
    .max(4096)
    .nullish()
    .describe("absolute, or below the session's directory; default: that directory, else where the daemon runs"),
  sessionId: SessionIdSchema.nullish().describe("the session whose directory `cwd` is told from"),
  env: environment.nullish().describe("laid over what programs see of the daemon's environment; never returned"),
}

type Program = { command?: string | null; args?: string[] | null; shell?: string | null }
export const hasOneProgram = ({ command, shell }: Program): boolean => (command == null) !== (shell == null)
export const hasNoLooseWords = ({ args, shell }: Program): boolean => shell == null || args == null
const oneProgram = { message: "either command or shell is expected" }
const noLooseWords = { message: "args belong to command: write them into the line of the shell", path: ["args"] }

export const EncodingSchema = z.enum(["utf8", "base64"])
export type Encoding = z.infer<typeof EncodingSchema>

export const RunProcessSchema = z
  .strictObject({
    ...program,
    stdin: z.string().nullish().describe("its whole input; without any it reads an empty one"),
    stdinEncoding: EncodingSchema.nullish().describe('how `stdin` is written; default "utf8"'),
    timeoutMs: z.number().int().min(1).max(processLimits.mostRunMs).nullish().describe("then all of it is killed"),
    maxOutputBytes: z
      .number()
      .int()
      .min(1)
      .max(processLimits.mostOutputBytes)
      .nullish()
      .describe("kept of stdout and of stderr each: the first half and the last half of it"),
    encoding: EncodingSchema.nullish().describe('how output is written; default "utf8"'),
  })
  .refine(hasOneProgram, oneProgram)
  .refine(hasNoLooseWords, noLooseWords)
export type RunProcess = z.infer<typeof RunProcessSchema>

const upTo = (most: number) => z.number().int().min(1).max(most)

export const ProcessConfigSchema = z.strictObject({
  maxConcurrentProcesses: upTo(processLimits.mostConcurrent).describe(
    "that live at once, terminals and runs among them",
  ),
  defaultRunTimeoutMs: upTo(processLimits.mostRunMs).describe("of a run that names no time"),
  maxRunTimeoutMs: upTo(processLimits.mostRunMs).describe("the longest that a run may name"),
  maxOutputBytes: upTo(processLimits.mostOutputBytes).describe("kept of stdout, and of stderr, of a run"),
  maxLogBytesPerProcess: upTo(processLimits.mostLogBytes)
    .min(processLimits.leastLogBytes)
    .describe("kept on disk of what one process wrote"),
  maxInputBytesPerRequest: upTo(processLimits.mostInputBytes).describe("of one piece of input"),
})
export type ProcessConfig = z.infer<typeof ProcessConfigSchema>

const cells = z.number().int().min(1).max(processLimits.terminalSize)

export const StartProcessSchema = z
  .strictObject({
    ...program,
    tty: z.boolean().nullish().describe("gives it a terminal in place of pipes"),
    cols: cells.nullish().describe("of its terminal; default 80"),
    rows: cells.nullish().describe("of its terminal; default 24"),
    interactive: z.boolean().nullish().describe("told back, for whoever shows it"),
  })
  .refine(hasOneProgram, oneProgram)
  .refine(hasNoLooseWords, noLooseWords)
export type StartProcess = z.infer<typeof StartProcessSchema>

/** Without a program it is the shell of the user. */
export const StartTerminalSchema = z
  .strictObject({
    ...program,
    cols: cells.nullish().describe("default 80"),
    rows: cells.nullish().describe("default 24"),
  })
  .refine(({ command, shell }) => command == null || shell == null, oneProgram)
  .refine(({ command, args }) => command != null || args == null, noLooseWords)
export type StartTerminal = z.infer<typeof StartTerminalSchema>

export const TerminalSizeSchema = z.strictObject({ cols: cells.describe("columns"), rows: cells.describe("rows") })

export const ProcessIdSchema = z.string().regex(/^[A-Za-z0-9_]{1,64}$/, "not an id of a process")
export const ProcessOwnerSchema = z.enum(["user", "desktop", "system"])
export const LogStreamSchema = z.enum(["stdout", "stderr", "combined", "pty"])
export type LogStream = z.infer<typeof LogStreamSchema>

export const ProcessInputSchema = z
  .strictObject({
    data: z.string().nullish().describe("what is written to its input"),
    encoding: z.enum(["base64", "utf8", "text"]).nullish().describe('how `data` is written; default "base64"'),
    end: z.boolean().nullish().describe("its input ends after this"),
  })
  .refine(({ data, end }) => data != null || end === true, { message: "data or end is expected" })
export type ProcessInput = z.infer<typeof ProcessInputSchema>

const ends = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGABRT", "SIGKILL", "SIGTERM"] as const
const others = ["SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGWINCH"] as const
export const ProcessSignalSchema = z.strictObject({
  signal: z.enum([...ends, ...others]).describe("sent to its whole group"),
})
