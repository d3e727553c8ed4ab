import { z } from "zod"
import { AgentSchema, InstallEventSchema, InstallResultSchema, ModelSchema, ModeSchema } from "../agent-view.ts"
import * as config from "../config-view.ts"
import { EventSchema } from "../event.ts"
import {
  CopiedFilesSchema,
  FileChangeSchema,
  FileEntrySchema,
  FileStatSchema,
  MovedFileSchema,
  NamedFileSchema,
  SearchEventSchema,
  UploadedFilesSchema,
  WrittenFileSchema,
} from "../file-view.ts"
import { GlobalEventSchema } from "../global-event.ts"
import { ItemSchema } from "../item.ts"
import { PostedMessageSchema } from "../message.ts"
import * as processes from "../process-view.ts"
import { PermissionSchema, QuestionSchema } from "../request-view.ts"
import {
  CancelledTurnSchema,
  CreatedSessionSchema,
  ForkedSessionSchema,
  NativeStateSchema,
  RestoredSessionSchema,
  SessionSchema,
  UpdatedSessionSchema,
} from "../session-view.ts"
import { RedeemedTicketSchema, TicketSchema } from "../ticket.ts"
import type { RouteId } from "./contract.ts"
import type { Route } from "./route.ts"

/** What a route answers: its JSON body, and one event of its stream. */
export interface RouteAnswer {
  readonly response?: z.ZodType
  readonly event?: z.ZodType
}

export const AcpServerSchema = z.object({
  serverId: z.string(),
  agent: z.string().optional().describe("for sessions that name none"),
  createdAtMs: z.number().describe("milliseconds since 1970"),
})

export const HealthSchema = z.object({ status: z.literal("ok"), version: z.string(), uptimeMs: z.number() })

const one = z.object({ session: SessionSchema.describe("its state") })

/** What every route answers, for OpenAPI, the reference and clients. Apart: a daemon that only serves never makes these. */
export const answers = {
  getHealth: { response: HealthSchema },
  streamGlobalEvents: { event: GlobalEventSchema },
  getOpenApi: { response: z.looseObject({ openapi: z.string().describe("version of OpenAPI") }) },
  getDocs: {},
  getMetrics: {},
  makeTicket: { response: TicketSchema },
  redeemTicket: { response: RedeemedTicketSchema },
  listAcpServers: { response: z.object({ servers: z.array(AcpServerSchema).describe("connections with a name") }) },
  listAgents: { response: z.object({ agents: z.array(AgentSchema).describe("all there are") }) },
  getAgent: { response: AgentSchema },
  installAgent: {
    response: InstallResultSchema,
    event: InstallEventSchema,
  },
  listModes: { response: z.object({ modes: z.array(ModeSchema).describe("that can be chosen") }) },
  listModels: {
    response: z.object({
      models: z.array(ModelSchema).describe("that can be chosen"),
      defaultModel: z.string().optional().describe("the one that is used when none is named"),
    }),
  },
  listSessions: {
    response: z.object({
      sessions: z.array(SessionSchema).describe("newest first"),
      nextCursor: z.string().optional().describe("`cursor` of the next page; absent on the last"),
    }),
  },
  createSession: { response: CreatedSessionSchema },
  createSessionWithNewId: { response: CreatedSessionSchema },
  getSession: { response: SessionSchema },
  patchSession: { response: UpdatedSessionSchema },
  deleteSession: { response: z.object({ deleted: z.literal(true).describe("always true") }) },
  cancelTurn: { response: CancelledTurnSchema },
  terminateSession: { response: one },
  resumeSession: { response: CreatedSessionSchema },
  forkSession: { response: ForkedSessionSchema },
  restoreSession: { response: RestoredSessionSchema },
  getNativeState: { response: NativeStateSchema },
  listItems: {
    response: z.object({
      items: z.array(ItemSchema).describe("in their order"),
      sequence: z.number().int().describe("the event up to which they are current: stream from here"),
    }),
  },
  listPending: {
    response: z.object({
      permissions: z.array(PermissionSchema).describe("that wait"),
      questions: z.array(QuestionSchema).describe("that wait"),
    }),
  },
  getBlob: {},
  replyPermission: { response: z.object({ permission: PermissionSchema.describe("as it was decided") }) },
  replyQuestion: { response: z.object({ question: QuestionSchema.describe("as it was answered") }) },
  rejectQuestion: { response: z.object({ question: QuestionSchema.describe("as it was rejected") }) },
  postMessage: { response: PostedMessageSchema },
  streamMessage: { event: EventSchema },
  withdrawMessage: {
    response: z.object({
      messageId: z.string().describe("id of the message"),
      state: z.literal("withdrawn").describe("always `withdrawn`"),
    }),
  },
  getEvents: {
    response: z.object({
      events: z.array(EventSchema).describe("in their order"),
      hasMore: z.boolean().describe("there are more behind the last"),
    }),
  },
  streamEvents: { event: EventSchema },
  runProcess: {
    response: processes.RanProcessSchema,
    event: z.union([processes.ProcessLogEntrySchema, processes.ProcessExitSchema]),
  },
  getProcessConfig: { response: processes.ProcessConfigViewSchema },
  setProcessConfig: { response: processes.ProcessConfigViewSchema },
  startProcess: { response: processes.ProcessSchema },
  listProcesses: { response: z.object({ processes: z.array(processes.ProcessSchema).describe("newest last") }) },
  getProcess: { response: processes.ProcessSchema },
  waitForProcess: { response: processes.ProcessSchema },
  getProcessLogs: {
    response: processes.ProcessLogsSchema,
    event: z.union([
      processes.ProcessLogEntrySchema,
      processes.ProcessPortEventSchema,
      processes.ProcessGapSchema,
      processes.ProcessEndSchema,
    ]),
  },
  writeProcessInput: { response: processes.WrittenInputSchema },
  signalProcess: { response: processes.ProcessSchema },
  stopProcess: { response: processes.ProcessSchema },
  killProcess: { response: processes.ProcessSchema },
  deleteProcess: {},
  startTerminal: { response: processes.ProcessSchema },
  listTerminals: { response: z.object({ terminals: z.array(processes.ProcessSchema).describe("newest last") }) },
  getTerminal: { response: processes.ProcessSchema },
  resizeTerminal: { response: processes.TerminalSizeViewSchema },
  makeTerminalTicket: { response: processes.TicketSchema },
  closeTerminal: {},
  listFsEntries: { response: z.array(FileEntrySchema) },
  statFsEntry: { response: FileStatSchema },
  readFsFile: {},
  headFsFile: {},
  writeFsFile: { response: WrittenFileSchema },
  uploadFsBatch: { response: UploadedFilesSchema },
  archiveFs: {},
  watchFs: { event: FileChangeSchema },
  searchFs: { event: SearchEventSchema },
  makeFsDirectory: { response: NamedFileSchema },
  moveFsEntry: { response: MovedFileSchema },
  copyFsEntry: { response: CopiedFilesSchema },
  deleteFsEntry: { response: NamedFileSchema },
  chmodFsEntry: { response: NamedFileSchema },
  getMcpConfig: { response: z.union([config.McpServerConfigSchema, config.McpServerListSchema]) },
  setMcpConfig: {},
  deleteMcpConfig: {},
  getSkillsConfig: { response: z.union([config.SkillsConfigViewSchema, config.SkillsListSchema]) },
  setSkillsConfig: {},
  deleteSkillsConfig: {},
} satisfies Record<RouteId, RouteAnswer>

export const answerOf = (route: Route): RouteAnswer => answers[route.id as RouteId]
