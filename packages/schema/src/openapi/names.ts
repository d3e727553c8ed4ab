import type { z } from "zod"
import * as agentViews from "../agent-view.ts"
import * as config from "../config.ts"
import * as configViews from "../config-view.ts"
import { AcpServerSchema, HealthSchema } from "../contract/answers.ts"
import * as events from "../event.ts"
import * as files from "../file.ts"
import * as fileViews from "../file-view.ts"
import { GlobalEnvelopeSchema } from "../global-event.ts"
import { InstallBodySchema } from "../install.ts"
import * as items from "../item.ts"
import { JsonValueSchema, MetadataSchema } from "../json.ts"
import * as messages from "../message.ts"
import * as problems from "../problem.ts"
import * as processes from "../process.ts"
import * as processViews from "../process-view.ts"
import * as requests from "../request.ts"
import * as requestViews from "../request-view.ts"
import * as restoring from "../restore.ts"
import * as sessions from "../session.ts"
import * as sessionViews from "../session-view.ts"
import * as tickets from "../ticket.ts"

/** What the parts of the contract are called in OpenAPI, and so in the types that are made of it. */
export const names: Readonly<Record<string, z.ZodType>> = {
  JsonValue: JsonValueSchema,
  Metadata: MetadataSchema,

  Agent: agentViews.AgentSchema,
  AgentProcess: agentViews.AgentProcessSchema,
  Capabilities: agentViews.CapabilitiesSchema,
  Mode: agentViews.ModeSchema,
  Model: agentViews.ModelSchema,
  InstallRequest: InstallBodySchema,
  InstallResult: agentViews.InstallResultSchema,
  InstallProgressEvent: agentViews.InstallProgressEventSchema,
  InstallDoneEvent: agentViews.InstallDoneEventSchema,
  InstallErrorEvent: agentViews.InstallErrorEventSchema,
  InstallEvent: agentViews.InstallEventSchema,

  Session: sessionViews.SessionSchema,
  SessionStatus: sessions.SessionStatusSchema,
  PermissionMode: sessions.PermissionModeSchema,
  AgentProcessState: sessions.AgentProcessStateSchema,
  QueuedMessage: sessionViews.QueuedMessageSchema,
  CreateSessionRequest: sessions.CreateSessionSchema,
  CreatedSession: sessionViews.CreatedSessionSchema,
  UpdateSessionRequest: sessions.PatchSessionSchema,
  UpdatedSession: sessionViews.UpdatedSessionSchema,
  ForkSessionRequest: sessions.ForkSessionSchema,
  ForkedSession: sessionViews.ForkedSessionSchema,
  RestoreSessionRequest: restoring.RestoreSessionSchema,
  NativeState: sessionViews.NativeStateSchema,
  RestoredSession: sessionViews.RestoredSessionSchema,
  CancelTurnRequest: sessions.CancelSchema,
  CancelledTurn: sessionViews.CancelledTurnSchema,
  EmptyRequest: sessions.EmptySchema,
  McpServer: sessions.McpServerSchema,
  McpProgram: sessions.McpProgramSchema,
  McpAddress: sessions.McpAddressSchema,
  Skill: sessions.SkillSchema,

  PostMessageRequest: messages.PostMessageSchema,
  PostedMessage: messages.PostedMessageSchema,
  Attachment: messages.AttachmentSchema,
  Delivery: messages.DeliverySchema,
  MessageState: messages.MessageStateSchema,

  Item: items.ItemSchema,
  ItemKind: items.ItemKindSchema,
  ItemRole: items.ItemRoleSchema,
  ItemStatus: items.ItemStatusSchema,
  ContentPart: items.ContentPartSchema,
  TextPart: items.TextPartSchema,
  JsonPart: items.JsonPartSchema,
  ToolCallPart: items.ToolCallPartSchema,
  ToolResultPart: items.ToolResultPartSchema,
  FileRefPart: items.FileRefPartSchema,
  ImagePart: items.ImagePartSchema,
  ReasoningPart: items.ReasoningPartSchema,
  StatusPart: items.StatusPartSchema,
  DeltaPart: items.DeltaPartSchema,

  Permission: requestViews.PermissionSchema,
  PermissionKind: requestViews.PermissionKindSchema,
  PermissionDetail: requestViews.PermissionDetailSchema,
  PermissionReply: requests.PermissionReplySchema,
  ReplyPermissionRequest: requests.ReplyPermissionSchema,
  Question: requestViews.QuestionSchema,
  QuestionPart: requestViews.QuestionPartSchema,
  QuestionOption: requestViews.QuestionOptionSchema,
  ReplyQuestionRequest: requests.ReplyQuestionSchema,
  RejectQuestionRequest: requests.RejectQuestionSchema,

  Ticket: tickets.TicketSchema,
  RedeemTicketRequest: tickets.RedeemTicketSchema,
  RedeemedTicket: tickets.RedeemedTicketSchema,

  RunProcessRequest: processes.RunProcessSchema,
  RanProcess: processViews.RanProcessSchema,
  OmittedOutput: processViews.OmittedSchema,
  OutputEncoding: processes.EncodingSchema,
  ProcessConfigRequest: processes.ProcessConfigSchema,
  ProcessConfig: processViews.ProcessConfigViewSchema,
  ProcessLogEntry: processViews.ProcessLogEntrySchema,
  ProcessStream: processViews.ProcessStreamSchema,
  ProcessExit: processViews.ProcessExitSchema,
  StartProcessRequest: processes.StartProcessSchema,
  ProcessInputRequest: processes.ProcessInputSchema,
  ProcessSignalRequest: processes.ProcessSignalSchema,
  Process: processViews.ProcessSchema,
  ProcessOwner: processes.ProcessOwnerSchema,
  ProcessPort: processViews.ProcessPortSchema,
  ProcessEndReason: processViews.ProcessEndReasonSchema,
  ProcessLogs: processViews.ProcessLogsSchema,
  ProcessLogsStream: processes.LogStreamSchema,
  ProcessPortEvent: processViews.ProcessPortEventSchema,
  ProcessGap: processViews.ProcessGapSchema,
  ProcessEnd: processViews.ProcessEndSchema,
  StartTerminalRequest: processes.StartTerminalSchema,
  TerminalSizeRequest: processes.TerminalSizeSchema,
  TerminalSize: processViews.TerminalSizeViewSchema,
  TerminalTicket: processViews.TicketSchema,
  WrittenInput: processViews.WrittenInputSchema,

  Event: events.EventSchema,
  EventEnvelope: events.EnvelopeSchema,
  GlobalEventEnvelope: GlobalEnvelopeSchema,
  Usage: events.UsageSchema,
  StopReason: events.StopReasonSchema,
  TurnError: events.TurnErrorSchema,
  PlanEntry: events.PlanEntrySchema,
  Command: events.CommandSchema,
  EndReason: events.EndReasonSchema,
  EndedBy: events.EndedBySchema,

  FileEntry: fileViews.FileEntrySchema,
  FileChange: fileViews.FileChangeSchema,
  SearchMatch: fileViews.SearchMatchSchema,
  SearchName: fileViews.SearchNameSchema,
  SearchDone: fileViews.SearchDoneSchema,
  SearchEvent: fileViews.SearchEventSchema,
  FileStat: fileViews.FileStatSchema,
  EntryType: fileViews.EntryTypeSchema,
  WrittenFile: fileViews.WrittenFileSchema,
  NamedFile: fileViews.NamedFileSchema,
  MovedFile: fileViews.MovedFileSchema,
  CopiedFiles: fileViews.CopiedFilesSchema,
  UploadedFiles: fileViews.UploadedFilesSchema,
  SkippedFile: fileViews.SkippedFileSchema,
  MoveFileRequest: files.MoveFileSchema,
  CopyFileRequest: files.CopyFileSchema,
  ChangeModeRequest: files.ChangeModeSchema,

  McpConfigRequest: config.McpConfigSchema,
  LocalMcpConfigRequest: config.LocalMcpConfigSchema,
  RemoteMcpConfigRequest: config.RemoteMcpConfigSchema,
  McpServerConfig: configViews.McpServerConfigSchema,
  LocalMcpServer: configViews.LocalMcpSchema,
  RemoteMcpServer: configViews.RemoteMcpSchema,
  McpServerList: configViews.McpServerListSchema,
  SkillsConfigRequest: config.SkillsConfigSchema,
  SkillSourceRequest: config.SkillSourceSchema,
  SkillsConfig: configViews.SkillsConfigViewSchema,
  SkillSource: configViews.SkillSourceViewSchema,
  SkillsList: configViews.SkillsListSchema,

  ErrorCode: problems.ErrorCodeSchema,
  Stderr: problems.StderrSchema,
  AgentError: problems.AgentErrorSchema,
  Problem: problems.ProblemSchema,
  Health: HealthSchema,
  AcpServer: AcpServerSchema,
}
