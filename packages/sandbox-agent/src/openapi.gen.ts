/** Made from docs/openapi.json by `npm run docs`; do not edit. */

export interface components {
  schemas: {
    Health: {
      /** @constant */
      status: "ok"
      version: string
      uptimeMs: number
    }
    Ticket: {
      ticket: string
      /** @description milliseconds since 1970 */
      expiresAtMs: number
    }
    RedeemTicketRequest: {
      ticket: string
    }
    RedeemedTicket: {
      /** @description absent where the daemon asks for none */
      token?: string
    }
    Agent: {
      id: string
      name: string
      /** @enum {string} */
      stability: "stable" | "experimental"
      installed: boolean
      version?: string
      path?: string
      /** @enum {string} */
      source?: "managed" | "path" | "config" | "builtin"
      /** @description true only when found, or when none are needed */
      credentialsAvailable: boolean
      /**
       * @description `unknown`: nobody has said what this agent logs in with, or it may need nothing of what was looked for; a session tells
       * @enum {string}
       */
      credentials: "available" | "missing" | "unknown"
      capabilities: components["schemas"]["Capabilities"]
      process: components["schemas"]["AgentProcess"]
    }
    Capabilities: {
      textMessages: boolean
      toolCalls: boolean
      toolResults: boolean
      streamingDeltas: boolean
      itemStarted: boolean
      reasoning: boolean
      images: boolean
      fileAttachments: boolean
      permissions: boolean
      questions: boolean
      planApproval: boolean
      sessionLifecycle: boolean
      errorEvents: boolean
      status: boolean
      commandExecution: boolean
      fileChanges: boolean
      mcpTools: boolean
      variants: boolean
      sharedProcess: boolean
      modes: boolean
      models: boolean
      interrupt: boolean
      steer: boolean
      resume: boolean
      fork: boolean
      subagents: boolean
      plans: boolean
      usage: boolean
    }
    AgentProcess: {
      /** @enum {string} */
      status: "stopped" | "starting" | "running" | "failed"
      pid?: number
      uptimeMs?: number
      rssBytes?: number
      restartCount: number
      lastError?: string
    }
    InstallRequest: {
      reinstall?: boolean
      version?: string
    }
    InstallResult: {
      installed: boolean
      version?: string
      path?: string
      error?: components["schemas"]["AgentError"]
    }
    AgentError: {
      code: components["schemas"]["ErrorCode"]
      message: string
      agent?: string
      sessionId?: string
      exitCode?: number
      signal?: string
      stderr?: components["schemas"]["Stderr"]
      hint?: string
    }
    /** @enum {string} */
    ErrorCode:
      | "invalid_request"
      | "unsupported_agent"
      | "mode_not_supported"
      | "token_invalid"
      | "permission_denied"
      | "agent_not_installed"
      | "session_not_found"
      | "not_found"
      | "method_not_allowed"
      | "not_acceptable"
      | "session_already_exists"
      | "conflict"
      | "gone"
      | "precondition_failed"
      | "payload_too_large"
      | "unsupported_media_type"
      | "range_not_satisfiable"
      | "too_many_requests"
      | "install_failed"
      | "agent_process_exited"
      | "internal"
      | "not_supported"
      | "insufficient_storage"
      | "stream_error"
      | "unavailable"
      | "timeout"
    /** @description Up to 70 lines are all in `head`; of more, the first 20 are in `head` and the last 50 in `tail`. */
    Stderr: {
      head?: string
      tail?: string
      truncated: boolean
      total_lines?: number
    }
    InstallEvent:
      | components["schemas"]["InstallProgressEvent"]
      | components["schemas"]["InstallDoneEvent"]
      | components["schemas"]["InstallErrorEvent"]
    InstallProgressEvent: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "install.progress"
      /** @description wait, resolve, download, verify, unpack, check, activate */
      phase: string
      bytes: number
      total?: number
      /** @description where it comes from: npm or vendor */
      source?: string
      /** @description a word for people */
      message?: string
    }
    InstallDoneEvent: {
      installed: boolean
      version?: string
      path?: string
      error?: components["schemas"]["AgentError"]
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "install.done"
    }
    InstallErrorEvent: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "error"
      title: string
      status: number
      detail: string
      requestId?: string
      hint?: string
      agent?: string
      sessionId?: string
      exitCode?: number
      stderr?: components["schemas"]["Stderr"]
      /** @description the type of the problem: urn:sandbox-agent:error:<code> */
      problem: string
    }
    Mode: {
      id: string
      name: string
      description?: string
      /**
       * @description nobody vouches that the agent still asks in it: taken only in permission mode `bypass`
       * @constant
       */
      unverified?: true
    }
    Model: {
      id: string
      name: string
      variants: string[]
      defaultVariant?: string
    }
    /** @enum {string} */
    SessionStatus: "installing" | "starting" | "idle" | "running" | "waiting" | "ended"
    Session: {
      id: string
      agent: string
      agentVersion?: string
      agentMode: string
      permissionMode: components["schemas"]["PermissionMode"]
      model?: string
      variant?: string
      directory: string
      title?: string
      nativeSessionId?: string
      status: components["schemas"]["SessionStatus"]
      agentProcess: components["schemas"]["AgentProcessState"]
      background: number
      queue: components["schemas"]["QueuedMessage"][]
      pending: {
        permissions: number
        questions: number
      }
      firstSequence: number
      lastSequence: number
      usage?: components["schemas"]["Usage"]
      createdAt: string
      updatedAt: string
      endedAt?: string
      error?: components["schemas"]["AgentError"]
      metadata: components["schemas"]["Metadata"]
    }
    /** @enum {string} */
    PermissionMode: "default" | "acceptEdits" | "plan" | "bypass"
    /** @enum {string} */
    AgentProcessState: "none" | "starting" | "live"
    QueuedMessage: {
      messageId: string
      turnId: string
      position: number
      delivery: components["schemas"]["Delivery"]
    }
    /** @enum {string} */
    Delivery: "queue" | "steer"
    Usage: {
      input_tokens: number
      output_tokens: number
      cached_tokens?: number
      reasoning_tokens?: number
      context_used?: number
      context_size?: number
      cost_usd?: number
    }
    Metadata: {
      [key: string]: components["schemas"]["JsonValue"]
    }
    /** @description Any JSON, passed on as it came. */
    JsonValue: unknown
    CreateSessionRequest: {
      agent: string
      /** @description default "build" */
      agentMode?: string
      /** @description default "default" */
      permissionMode?: components["schemas"]["PermissionMode"]
      model?: string
      variant?: string
      agentVersion?: string
      /** @description absolute; default: where the daemon runs */
      directory?: string
      title?: string
      mcp?: {
        [key: string]: components["schemas"]["McpServer"]
      }
      skills?: components["schemas"]["Skill"][]
      systemPrompt?: string
      /** @description never returned */
      env?: {
        [key: string]: string
      }
      metadata?: components["schemas"]["Metadata"]
      /** @description adopt a session the agent already has */
      nativeSessionId?: string
    }
    McpServer: components["schemas"]["McpProgram"] | components["schemas"]["McpAddress"]
    McpProgram: {
      /** @constant */
      type?: "stdio"
      command: string
      args?: string[]
      env?: {
        [key: string]: string
      }
      /** @description where it runs; relative to the session's directory */
      cwd?: string
      /** @description how long it may take to start, where the agent can be told */
      timeoutMs?: number
    }
    McpAddress: {
      /** @enum {string} */
      type: "http" | "sse"
      /** Format: uri */
      url: string
      headers?: {
        [key: string]: string
      }
      /** @description how long it may take to answer first, where the agent can be told */
      timeoutMs?: number
    }
    Skill: {
      name: string
      /** @description its folder, or its SKILL.md */
      path?: string
      /** @description text of its SKILL.md */
      content?: string
    }
    CreatedSession: {
      healthy: boolean
      error?: components["schemas"]["AgentError"]
      nativeSessionId?: string
      session: components["schemas"]["Session"]
    }
    UpdateSessionRequest: {
      title?: string
      agentMode?: string
      permissionMode?: components["schemas"]["PermissionMode"]
      model?: string
      variant?: string
      metadata?: components["schemas"]["Metadata"]
    }
    UpdatedSession: {
      session: components["schemas"]["Session"]
      /** @enum {string} */
      applied: "now" | "next_turn" | "reopen"
    }
    CancelTurnRequest: {
      /** @description also withdraw what waits in the queue */
      queue?: boolean
      /** @description also end background work */
      background?: boolean
    }
    CancelledTurn: {
      ended: boolean
      turnId?: string
      /** @description ids of the messages taken out of the queue */
      withdrawn: string[]
    }
    EmptyRequest: Record<string, never>
    ForkSessionRequest: {
      /** @description goes on with this agent, which is told of the session in a brief */
      agent?: string
      /** @description default "build" */
      agentMode?: string
      /** @description default "default" */
      permissionMode?: components["schemas"]["PermissionMode"]
      model?: string
      variant?: string
      agentVersion?: string
      title?: string
      mcp?: {
        [key: string]: components["schemas"]["McpServer"]
      }
      skills?: components["schemas"]["Skill"][]
      systemPrompt?: string
      /** @description never returned */
      env?: {
        [key: string]: string
      }
      metadata?: components["schemas"]["Metadata"]
      id: string
      /** @description the fork stands at the last turn that had ended there */
      atSequence?: number
    }
    ForkedSession: components["schemas"]["CreatedSession"] & {
      forkedAtSequence: number
    }
    Item: {
      item_id: string
      native_item_id?: string
      parent_id?: string
      turn_id?: string
      message_id?: string
      /** @description the native message this block came from */
      group?: string
      kind: components["schemas"]["ItemKind"]
      role?: components["schemas"]["ItemRole"]
      status: components["schemas"]["ItemStatus"]
      /** @description came after its turn had ended */
      late?: boolean
      metadata?: components["schemas"]["Metadata"]
      content: components["schemas"]["ContentPart"][]
    }
    /** @enum {string} */
    ItemKind: "message" | "tool_call" | "tool_result" | "system" | "status" | "unknown"
    /** @enum {string} */
    ItemRole: "user" | "assistant" | "system" | "tool"
    /** @enum {string} */
    ItemStatus: "in_progress" | "completed" | "failed"
    ContentPart:
      | components["schemas"]["TextPart"]
      | components["schemas"]["JsonPart"]
      | components["schemas"]["ToolCallPart"]
      | components["schemas"]["ToolResultPart"]
      | components["schemas"]["FileRefPart"]
      | components["schemas"]["ImagePart"]
      | components["schemas"]["ReasoningPart"]
      | components["schemas"]["StatusPart"]
    TextPart: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "text"
      text: string
    }
    JsonPart: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "json"
      json: components["schemas"]["JsonValue"]
    }
    ToolCallPart: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "tool_call"
      name: string
      /** @description JSON text */
      arguments: string
      call_id: string
      title?: string
      kind?: string
    }
    ToolResultPart: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "tool_result"
      call_id: string
      output: string
      is_error?: boolean
      detached?: boolean
      truncated?: boolean
    }
    FileRefPart: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "file_ref"
      path: string
      /** @enum {string} */
      action: "read" | "write" | "patch"
      diff?: string
      /** @description hash; the bytes are at …/blobs/{hash} */
      blob?: string
      mime?: string
    }
    ImagePart: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "image"
      path?: string
      /** @description hash; the bytes are at …/blobs/{hash} */
      blob?: string
      mime?: string
    }
    ReasoningPart: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "reasoning"
      text: string
      /** @enum {string} */
      visibility: "public" | "private"
    }
    StatusPart: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "status"
      label: string
      detail?: string
    }
    Permission: {
      permission_id: string
      action: string
      /** @enum {string} */
      status: "requested" | "accept" | "accept_for_session" | "reject" | "cancelled"
      kind: components["schemas"]["PermissionKind"]
      detail?: components["schemas"]["PermissionDetail"]
      choices: components["schemas"]["PermissionReply"][]
      item_id?: string
      call_id?: string
      turn_id?: string
      /** @enum {string} */
      by?: "client" | "rule" | "mode"
      reason?: string
      /** @description what the client said with its reply */
      message?: string
      metadata?: components["schemas"]["Metadata"]
    }
    /** @enum {string} */
    PermissionKind: "command" | "file_change" | "tool" | "network" | "other"
    PermissionDetail: {
      command?: string
      path?: string
      diff?: string
    }
    /** @enum {string} */
    PermissionReply: "once" | "always" | "reject"
    Question: {
      question_id: string
      prompt: string
      options: string[]
      /** @enum {string} */
      status: "requested" | "answered" | "rejected" | "cancelled"
      questions: components["schemas"]["QuestionPart"][]
      item_id?: string
      call_id?: string
      turn_id?: string
      response?: string
      answers?: string[][]
      /** @constant */
      purpose?: "plan_approval"
      reason?: string
      message?: string
    }
    QuestionPart: {
      id: string
      header?: string
      prompt: string
      /** @enum {string} */
      type: "choice" | "text" | "number" | "boolean"
      options: components["schemas"]["QuestionOption"][]
      multi_select: boolean
      allow_other: boolean
      required?: boolean
      secret?: boolean
      url?: string
    }
    QuestionOption: {
      label: string
      description?: string
    }
    ReplyPermissionRequest: {
      reply: components["schemas"]["PermissionReply"]
      /** @description goes back to the agent, where it can be told */
      message?: string
    }
    ReplyQuestionRequest: {
      /** @description one array per question, of chosen labels or free text */
      answers: string[][]
    }
    RejectQuestionRequest: {
      message?: string
    }
    RestoreSessionRequest: {
      agent: string
      /** @description default "build" */
      agentMode?: string
      /** @description default "default" */
      permissionMode?: components["schemas"]["PermissionMode"]
      model?: string
      variant?: string
      agentVersion?: string
      /** @description absolute; default: where the daemon runs */
      directory?: string
      title?: string
      mcp?: {
        [key: string]: components["schemas"]["McpServer"]
      }
      skills?: components["schemas"]["Skill"][]
      systemPrompt?: string
      /** @description never returned */
      env?: {
        [key: string]: string
      }
      metadata?: components["schemas"]["Metadata"]
      /** @description what the agent called the session: it goes on with it where it still has it here */
      nativeSessionId?: string
      /** @description what was said and done, in order, as `GET …/items` tells it; one that is not completed counts as failed */
      items: components["schemas"]["Item"][]
      /** @description as `plan.updated` told it last */
      plan?: components["schemas"]["PlanEntry"][]
      /** @description what people decided, in order, as `permission.resolved` and `question.resolved` told it */
      decisions?: (components["schemas"]["Permission"] | components["schemas"]["Question"])[]
    }
    PlanEntry: {
      content: string
      /** @enum {string} */
      status: "pending" | "in_progress" | "completed"
      priority?: string
    }
    RestoredSession: components["schemas"]["CreatedSession"] & {
      /**
       * @description whether the agent remembers the session by itself, or is told of it in a brief
       * @enum {string}
       */
      context?: "native" | "rebuilt"
    }
    PostMessageRequest: {
      message: string
      /** @description makes the call idempotent; with another body it is a conflict */
      messageId?: string
      attachments?: components["schemas"]["Attachment"][]
      delivery?: components["schemas"]["Delivery"]
    }
    Attachment: {
      path?: string
      url?: string
      /** @description base64 */
      data?: string
      mime?: string
      filename?: string
    }
    PostedMessage: {
      messageId: string
      turnId: string
      /** @description 0: next or running; n: messages in front */
      position: number
    }
    Event:
      | components["schemas"]["SessionStartedEvent"]
      | components["schemas"]["SessionUpdatedEvent"]
      | components["schemas"]["SessionEndedEvent"]
      | components["schemas"]["MessageUpdatedEvent"]
      | components["schemas"]["TurnStartedEvent"]
      | components["schemas"]["TurnEndedEvent"]
      | components["schemas"]["ItemStartedEvent"]
      | components["schemas"]["ItemDeltaEvent"]
      | components["schemas"]["ItemCompletedEvent"]
      | components["schemas"]["PermissionRequestedEvent"]
      | components["schemas"]["PermissionResolvedEvent"]
      | components["schemas"]["QuestionRequestedEvent"]
      | components["schemas"]["QuestionResolvedEvent"]
      | components["schemas"]["PlanUpdatedEvent"]
      | components["schemas"]["UsageUpdatedEvent"]
      | components["schemas"]["ErrorEvent"]
      | components["schemas"]["AgentUnparsedEvent"]
      | components["schemas"]["AgentNativeEvent"]
    Command: {
      name: string
      description?: string
      hint?: string
    }
    /** @enum {string} */
    EndReason: "completed" | "error" | "terminated"
    /** @enum {string} */
    EndedBy: "agent" | "daemon"
    /** @enum {string} */
    MessageState: "queued" | "sending" | "taken" | "withdrawn" | "failed"
    TurnError: {
      code: components["schemas"]["ErrorCode"] | string
      message: string
      exit_code?: number
      signal?: string
      stderr?: components["schemas"]["Stderr"]
    }
    /** @enum {string} */
    StopReason: "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | "error"
    DeltaPart: {
      index: number
      /** @enum {string} */
      type: "text" | "reasoning" | "arguments" | "output"
    }
    RunProcessRequest: {
      /** @description the program; found on PATH unless it has a slash */
      command?: string | null
      args?: string[] | null
      /** @description a line for the shell, in place of `command` and `args` */
      shell?: string | null
      /** @description absolute, or below the session's directory; default: that directory, else where the daemon runs */
      cwd?: string | null
      /** @description the session whose directory `cwd` is told from */
      sessionId?: string | null
      /** @description laid over what programs see of the daemon's environment; never returned */
      env?: {
        [key: string]: string
      } | null
      /** @description its whole input; without any it reads an empty one */
      stdin?: string | null
      /** @description how `stdin` is written; default "utf8" */
      stdinEncoding?: components["schemas"]["OutputEncoding"] | null
      /** @description then all of it is killed */
      timeoutMs?: number | null
      /** @description kept of stdout and of stderr each: the first half and the last half of it */
      maxOutputBytes?: number | null
      /** @description how output is written; default "utf8" */
      encoding?: components["schemas"]["OutputEncoding"] | null
    }
    /** @enum {string} */
    OutputEncoding: "utf8" | "base64"
    RanProcess: {
      /** @description null when a signal ended it */
      exitCode: number | null
      signal: string | null
      timedOut: boolean
      durationMs: number
      stdout: string
      stderr: string
      stdoutTruncated: boolean
      stderrTruncated: boolean
      /** @description all that it wrote */
      stdoutBytes: number
      stderrBytes: number
      stdoutOmitted?: components["schemas"]["OmittedOutput"]
      stderrOmitted?: components["schemas"]["OmittedOutput"]
      encoding: components["schemas"]["OutputEncoding"]
    }
    OmittedOutput: {
      /** @description bytes before what was left out */
      offset: number
      bytes: number
    }
    ProcessLogEntry: {
      sequence: number
      stream: components["schemas"]["ProcessStream"]
      timestampMs: number
      data: string
      /** @constant */
      encoding: "base64"
    }
    /** @enum {string} */
    ProcessStream: "stdout" | "stderr" | "pty"
    ProcessExit: {
      exitCode: number | null
      signal: string | null
      timedOut?: boolean
      durationMs?: number
    }
    ProcessConfig: {
      /** @description that live at once, terminals and runs among them */
      maxConcurrentProcesses: number
      /** @description of a run that names no time */
      defaultRunTimeoutMs: number
      /** @description the longest that a run may name */
      maxRunTimeoutMs: number
      /** @description kept of stdout, and of stderr, of a run */
      maxOutputBytes: number
      /** @description kept on disk of what one process wrote */
      maxLogBytesPerProcess: number
      maxInputBytesPerRequest: number
    }
    ProcessConfigRequest: {
      maxConcurrentProcesses: number
      defaultRunTimeoutMs: number
      maxRunTimeoutMs: number
      maxOutputBytes: number
      maxLogBytesPerProcess: number
      maxInputBytesPerRequest: number
    }
    StartProcessRequest: {
      /** @description the program; found on PATH unless it has a slash */
      command?: string | null
      args?: string[] | null
      /** @description a line for the shell, in place of `command` and `args` */
      shell?: string | null
      /** @description absolute, or below the session's directory; default: that directory, else where the daemon runs */
      cwd?: string | null
      /** @description the session whose directory `cwd` is told from */
      sessionId?: string | null
      /** @description laid over what programs see of the daemon's environment; never returned */
      env?: {
        [key: string]: string
      } | null
      /** @description gives it a terminal in place of pipes */
      tty?: boolean | null
      /** @description of its terminal; default 80 */
      cols?: number | null
      /** @description of its terminal; default 24 */
      rows?: number | null
      /** @description told back, for whoever shows it */
      interactive?: boolean | null
    }
    Process: {
      id: string
      command: string
      args: string[]
      cwd: string
      tty: boolean
      interactive: boolean
      owner: components["schemas"]["ProcessOwner"]
      sessionId?: string
      /** @enum {string} */
      status: "running" | "exited"
      pid?: number
      exitCode?: number
      signal?: string
      /** @description why it is no longer running */
      reason?: components["schemas"]["ProcessEndReason"]
      createdAtMs: number
      exitedAtMs?: number
      /** @description TCP ports that it listens on, itself or by what it started (Linux) */
      ports: components["schemas"]["ProcessPort"][]
      /** @description of its terminal */
      cols?: number
      rows?: number
      /** @description that its program gave its terminal */
      title?: string
      /** @description how many look at its terminal */
      viewers?: number
      /** @description of its log, as far as that is kept */
      firstSequence?: number
      lastSequence?: number
    }
    /** @enum {string} */
    ProcessOwner: "user" | "desktop" | "system"
    /** @enum {string} */
    ProcessEndReason: "exited" | "signal" | "daemon_stopped" | "daemon_killed"
    ProcessPort: {
      port: number
      /** @description `0.0.0.0` and `::` are all of the machine's */
      address: string
    }
    /** @enum {string} */
    ProcessLogsStream: "stdout" | "stderr" | "combined" | "pty"
    ProcessLogs: {
      processId: string
      stream: components["schemas"]["ProcessLogsStream"]
      /** @description what came before is no longer kept */
      firstSequence: number
      lastSequence: number
      entries: components["schemas"]["ProcessLogEntry"][]
    }
    ProcessPortEvent: {
      port: number
      /** @description `0.0.0.0` and `::` are all of the machine's */
      address: string
      sequence: number
      timestampMs: number
      /** @enum {string} */
      state: "open" | "closed"
    }
    ProcessGap: {
      /** @description where it goes on: what came before is no longer kept */
      firstSequence: number
    }
    ProcessEnd: {
      exitCode?: number
      signal?: string
      reason: components["schemas"]["ProcessEndReason"]
    }
    ProcessInputRequest: {
      data?: string | null
      /** @description how `data` is written; default "base64" */
      encoding?: ("base64" | "utf8" | "text") | null
      /** @description its input ends after this */
      end?: boolean | null
    }
    WrittenInput: {
      bytesWritten: number
    }
    ProcessSignalRequest: {
      /** @enum {string} */
      signal:
        | "SIGHUP"
        | "SIGINT"
        | "SIGQUIT"
        | "SIGABRT"
        | "SIGKILL"
        | "SIGTERM"
        | "SIGUSR1"
        | "SIGUSR2"
        | "SIGPIPE"
        | "SIGALRM"
        | "SIGCONT"
        | "SIGSTOP"
        | "SIGTSTP"
        | "SIGWINCH"
    }
    StartTerminalRequest: {
      /** @description the program; found on PATH unless it has a slash */
      command?: string | null
      args?: string[] | null
      /** @description a line for the shell, in place of `command` and `args` */
      shell?: string | null
      /** @description absolute, or below the session's directory; default: that directory, else where the daemon runs */
      cwd?: string | null
      /** @description the session whose directory `cwd` is told from */
      sessionId?: string | null
      /** @description laid over what programs see of the daemon's environment; never returned */
      env?: {
        [key: string]: string
      } | null
      /** @description default 80 */
      cols?: number | null
      /** @description default 24 */
      rows?: number | null
    }
    TerminalSizeRequest: {
      cols: number
      rows: number
    }
    TerminalSize: {
      /** @description as they are now */
      cols: number
      rows: number
    }
    TerminalTicket: {
      /** @description opens this terminal once, as `?ticket=` */
      ticket: string
      expiresAtMs: number
    }
    FileEntry: {
      name: string
      path: string
      /** @description its `file:` address, where its path is no UTF-8 text; taken wherever a path is */
      uri?: string
      /** @description of what a link leads to, if that is there and may be looked at */
      entryType: components["schemas"]["EntryType"]
      size: number
      modified: string
      /** @description octal digits */
      mode: string
      /** @enum {string} */
      special?: "fifo" | "socket" | "device"
      /** @description where it points, of a symbolic link */
      symlink?: string
    }
    /** @enum {string} */
    EntryType: "file" | "directory"
    FileStat: {
      path: string
      /** @description its `file:` address, where its path is no UTF-8 text; taken wherever a path is */
      uri?: string
      /** @description of what a link leads to, if that is there and may be looked at */
      entryType: components["schemas"]["EntryType"]
      size: number
      modified: string
      /** @description octal digits */
      mode: string
      /** @enum {string} */
      special?: "fifo" | "socket" | "device"
      /** @description where it points, of a symbolic link */
      symlink?: string
      /** @description with all links followed */
      realPath: string
      uid: number
      gid: number
      /** @description names of this file, hard links included */
      links: number
      /** @description as GET of the file answers it */
      etag?: string
    }
    WrittenFile: {
      path: string
      bytesWritten: number
      /** @description there was none before */
      created: boolean
      etag: string
    }
    UploadedFiles: {
      /** @description of what was made, the first thousand */
      paths: string[]
      /** @description there are more than `paths` names */
      truncated: boolean
      files: number
      directories: number
      links: number
      bytes: number
      /** @description what was left out and why, the first thousand */
      skipped: components["schemas"]["SkippedFile"][]
      skippedCount: number
    }
    SkippedFile: {
      path: string
      reason: string
    }
    FileChange: {
      /**
       * @description `ready`: from now on everything is told; `resync`: something was missed, look again
       * @enum {string}
       */
      type: "ready" | "created" | "modified" | "deleted" | "moved" | "resync"
      path?: string
      uri?: string
      entryType?: components["schemas"]["EntryType"]
      /** @description where it was, of what was moved */
      from?: string
      fromUri?: string
    }
    SearchEvent:
      | components["schemas"]["SearchMatch"]
      | components["schemas"]["SearchName"]
      | components["schemas"]["SearchDone"]
    SearchMatch: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "match"
      path: string
      uri?: string
      line: number
      column: number
      /** @description the line, cut after a thousand characters */
      text: string
      before?: string[]
      after?: string[]
    }
    SearchName: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "name"
      path: string
      uri?: string
      entryType: components["schemas"]["EntryType"]
      /** @description the best come first */
      score: number
    }
    SearchDone: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "done"
      /** @description looked at */
      files: number
      matches: number
      /** @description files that were too large to be searched */
      large: number
      /** @description there are more */
      truncated: boolean
    }
    NamedFile: {
      path: string
    }
    MoveFileRequest: {
      /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
      from: string
      /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
      to: string
      /** @description replace what is there; 409 without */
      overwrite?: boolean | null
      /** @description relative paths begin in its directory */
      sessionId?: string
    }
    MovedFile: {
      from: string
      to: string
    }
    CopyFileRequest: {
      /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
      from: string
      /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
      to: string
      /** @description replace a file that is there; 409 without */
      overwrite?: boolean | null
      /** @description needed for a folder */
      recursive?: boolean
      /** @description relative paths begin in its directory */
      sessionId?: string
    }
    CopiedFiles: {
      from: string
      to: string
      files: number
      bytes: number
      /** @description pipes, sockets and devices; the first thousand */
      skipped: components["schemas"]["SkippedFile"][]
    }
    ChangeModeRequest: {
      /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
      path: string
      mode: string
      /** @description the folder and everything in it */
      recursive?: boolean
      /** @description relative paths begin in its directory */
      sessionId?: string
    }
    McpServerConfig: components["schemas"]["LocalMcpServer"] | components["schemas"]["RemoteMcpServer"]
    LocalMcpServer: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "local"
      command: string
      args?: string[]
      cwd?: string | null
      /** @description each value is `********` */
      env?: {
        [key: string]: string
      } | null
      enabled?: boolean | null
      timeoutMs?: number | null
      agents?: string[] | null
    }
    RemoteMcpServer: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "remote"
      url: string
      transport?: string | null
      /** @description each value is `********` */
      headers?: {
        [key: string]: string
      } | null
      /** @description names of variables */
      envHeaders?: {
        [key: string]: string
      } | null
      bearerTokenEnvVar?: string | null
      oauth?: null
      enabled?: boolean | null
      timeoutMs?: number | null
      agents?: string[] | null
    }
    McpServerList: {
      servers: {
        name: string
        config: components["schemas"]["McpServerConfig"]
      }[]
    }
    McpConfigRequest: components["schemas"]["LocalMcpConfigRequest"] | components["schemas"]["RemoteMcpConfigRequest"]
    LocalMcpConfigRequest: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "local"
      /** @description found on PATH unless it has a slash */
      command: string
      args?: string[]
      /** @description relative to the directory; default: the directory */
      cwd?: string | null
      /** @description values are never returned */
      env?: {
        [key: string]: string
      } | null
      /** @description false keeps it out of sessions */
      enabled?: boolean | null
      /** @description how long it may take to start; 501 at create where an agent cannot be told */
      timeoutMs?: number | null
      /** @description only for sessions of these agents; default: of all */
      agents?: string[] | null
    }
    RemoteMcpConfigRequest: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "remote"
      /** Format: uri */
      url: string
      /** @description "http" (default) or "sse" */
      transport?: string | null
      /** @description values are never returned */
      headers?: {
        [key: string]: string
      } | null
      /** @description headers whose values are those of variables when a session is created */
      envHeaders?: {
        [key: string]: string
      } | null
      /** @description the variable with the token for `Authorization: Bearer` */
      bearerTokenEnvVar?: string | null
      /** @description not supported: 501 */
      oauth?: components["schemas"]["Metadata"] | null
      /** @description false keeps it out of sessions */
      enabled?: boolean | null
      /** @description how long it may take to start; 501 at create where an agent cannot be told */
      timeoutMs?: number | null
      /** @description only for sessions of these agents; default: of all */
      agents?: string[] | null
    }
    SkillsConfig: {
      sources: components["schemas"]["SkillSource"][]
      agents?: string[] | null
    }
    SkillSource: {
      type: string
      source: string
      ref?: string | null
      subpath?: string | null
      skills?: string[] | null
      files?: {
        [key: string]: string
      } | null
    }
    SkillsList: {
      entries: {
        name: string
        config: components["schemas"]["SkillsConfig"]
      }[]
    }
    SkillsConfigRequest: {
      sources: components["schemas"]["SkillSourceRequest"][]
      /** @description only for sessions of these agents; default: of all */
      agents?: string[] | null
    }
    SkillSourceRequest: {
      /** @description "local": a folder; "git": a repository; "github": one of GitHub, as owner/name; "inline": `files` */
      type: string
      /** @description the folder, the address, owner/name, or the name of the inline skill */
      source: string
      /** @description branch, tag or commit of a repository; default: its own default branch */
      ref?: string | null
      /** @description where in the source to look */
      subpath?: string | null
      /** @description only these; default: all that are there */
      skills?: string[] | null
      /** @description of an inline skill: texts by path, SKILL.md among them; one that begins with #! can be run */
      files?: {
        [key: string]: string
      } | null
    }
    Problem: {
      /** @description urn:sandbox-agent:error:<code> */
      type: string
      title: string
      status: number
      detail: string
      requestId?: string
      hint?: string
      agent?: string
      sessionId?: string
      exitCode?: number
      stderr?: components["schemas"]["Stderr"]
    }
    EventEnvelope: {
      event_id: string
      /** @description starts at 1, no gaps */
      sequence: number
      /** @description RFC 3339, never going back */
      time: string
      session_id: string
      native_session_id?: string
      /** @enum {string} */
      source: "agent" | "daemon"
      /** @description true exactly when the source is the daemon */
      synthetic: boolean
      replayed?: boolean
      /** @description the native line; only with include_raw=true */
      raw?: components["schemas"]["JsonValue"]
    }
    SessionStartedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "session.started"
      data: {
        metadata?: components["schemas"]["Metadata"]
        resumed?: boolean
        forked_from?: string
        adopted?: boolean
        /** @description it was a session of another daemon */
        restored?: boolean
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.started"
    }
    SessionUpdatedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "session.updated"
      data: {
        title?: string
        agent_mode?: string
        permission_mode?: components["schemas"]["PermissionMode"]
        model?: string
        variant?: string
        commands?: components["schemas"]["Command"][]
        status?: components["schemas"]["SessionStatus"]
        native_session_id?: string
        /**
         * @description the agent begins a new native session and is told of this one in a brief made from the log
         * @constant
         */
        context?: "rebuilt"
        /** @description why the context was rebuilt */
        reason?: string
        agent_process?: components["schemas"]["AgentProcessState"]
        background?: number
        metadata?: components["schemas"]["Metadata"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.updated"
    }
    SessionEndedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "session.ended"
      data: {
        reason: components["schemas"]["EndReason"]
        terminated_by: components["schemas"]["EndedBy"]
        message?: string
        exit_code?: number
        stderr?: components["schemas"]["Stderr"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.ended"
    }
    MessageUpdatedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "message.updated"
      data: {
        message_id: string
        state: components["schemas"]["MessageState"]
        delivery: components["schemas"]["Delivery"]
        position?: number
        turn_id?: string
        error?: components["schemas"]["TurnError"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "message.updated"
    }
    TurnStartedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "turn.started"
      data: {
        /** @constant */
        phase: "started"
        turn_id: string
        /** @enum {string} */
        origin: "message" | "agent" | "command"
        message_ids: string[]
        metadata?: components["schemas"]["Metadata"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "turn.started"
    }
    TurnEndedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "turn.ended"
      data: {
        /** @constant */
        phase: "ended"
        turn_id: string
        message_ids: string[]
        stop_reason: components["schemas"]["StopReason"]
        error?: components["schemas"]["TurnError"]
        forced?: boolean
        usage?: components["schemas"]["Usage"]
        cost_usd?: number
        metadata?: components["schemas"]["Metadata"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "turn.ended"
    }
    ItemStartedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "item.started"
      data: {
        item: components["schemas"]["Item"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "item.started"
    }
    ItemDeltaEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "item.delta"
      data: {
        item_id: string
        native_item_id?: string
        delta: string
        part: components["schemas"]["DeltaPart"]
        /** @description the part starts again with this text */
        reset?: boolean
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "item.delta"
    }
    ItemCompletedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "item.completed"
      data: {
        item: components["schemas"]["Item"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "item.completed"
    }
    PermissionRequestedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "permission.requested"
      data: components["schemas"]["Permission"]
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "permission.requested"
    }
    PermissionResolvedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "permission.resolved"
      data: components["schemas"]["Permission"]
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "permission.resolved"
    }
    QuestionRequestedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "question.requested"
      data: components["schemas"]["Question"]
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "question.requested"
    }
    QuestionResolvedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "question.resolved"
      data: components["schemas"]["Question"]
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "question.resolved"
    }
    PlanUpdatedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "plan.updated"
      data: {
        entries: components["schemas"]["PlanEntry"][]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "plan.updated"
    }
    UsageUpdatedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "usage.updated"
      data: components["schemas"]["Usage"]
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "usage.updated"
    }
    ErrorEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "error"
      data: {
        message: string
        code?: string
        details?: components["schemas"]["JsonValue"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "error"
    }
    AgentUnparsedEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "agent.unparsed"
      data: {
        error: string
        location: string
        raw_hash?: string
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "agent.unparsed"
    }
    AgentNativeEvent: components["schemas"]["EventEnvelope"] & {
      /** @constant */
      type: "agent.native"
      data: {
        method: string
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "agent.native"
    }
    GlobalEventEnvelope: {
      event_id: string
      /** @description of the log of all sessions; no gaps */
      sequence: number
      /** @description RFC 3339, never going back */
      time: string
      session_id: string
    }
    GlobalSessionCreatedEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /** @constant */
      type: "session.created"
      data: {
        agent: string
        title?: string
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.created"
    }
    GlobalSessionStatusEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /** @constant */
      type: "session.status"
      data: {
        status: components["schemas"]["SessionStatus"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.status"
    }
    GlobalSessionPendingEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /** @constant */
      type: "session.pending"
      data: {
        permissions: number
        questions: number
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.pending"
    }
    GlobalSessionEndedEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /** @constant */
      type: "session.ended"
      data: {
        reason: components["schemas"]["EndReason"]
        terminated_by: components["schemas"]["EndedBy"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.ended"
    }
    GlobalSessionDeletedEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /** @constant */
      type: "session.deleted"
      data: Record<string, never>
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.deleted"
    }
    GlobalEvent:
      | components["schemas"]["GlobalSessionCreatedEvent"]
      | components["schemas"]["GlobalSessionStatusEvent"]
      | components["schemas"]["GlobalSessionPendingEvent"]
      | components["schemas"]["GlobalSessionEndedEvent"]
      | components["schemas"]["GlobalSessionDeletedEvent"]
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations {
  getHealth: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Health of the daemon */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Health"]
        }
      }
    }
  }
  streamGlobalEvents: {
    parameters: {
      query?: {
        /** @description last seen sequence, exclusive */
        offset?: number
      }
      header?: {
        /** @description last seen sequence; wins over `offset` */
        "Last-Event-ID"?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Lifecycle of all sessions. Of the stream, the schema is that of one `data`. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "text/event-stream": components["schemas"]["GlobalEvent"]
        }
      }
    }
  }
  getOpenApi: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description This contract as OpenAPI 3.1 */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            openapi: string
          }
        }
      }
    }
  }
  getDocs: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Reference page for this contract */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "text/html": string
        }
      }
    }
  }
  getMetrics: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Metrics in Prometheus text format */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "text/plain": string
        }
      }
    }
  }
  makeTicket: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A ticket that signs one page in */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Ticket"]
        }
      }
    }
  }
  redeemTicket: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["RedeemTicketRequest"]
      }
    }
    responses: {
      /** @description The token, for a ticket */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["RedeemedTicket"]
        }
      }
    }
  }
  listAgents: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Agents, what they can do and whether they are installed */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            agents: components["schemas"]["Agent"][]
          }
        }
      }
    }
  }
  getAgent: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description agent id, such as `claude` or `mock` */
        agent: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description One agent */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Agent"]
        }
      }
    }
  }
  installAgent: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description agent id, such as `claude` or `mock` */
        agent: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["InstallRequest"]
      }
    }
    responses: {
      /** @description Install an agent. Of the stream, the schema is that of one `data`. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["InstallResult"]
          "text/event-stream": components["schemas"]["InstallEvent"]
        }
      }
    }
  }
  listModes: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description agent id, such as `claude` or `mock` */
        agent: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Agent modes */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            modes: components["schemas"]["Mode"][]
          }
        }
      }
    }
  }
  listModels: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description agent id, such as `claude` or `mock` */
        agent: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Models and their variants */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            models: components["schemas"]["Model"][]
            defaultModel?: string
          }
        }
      }
    }
  }
  listSessions: {
    parameters: {
      query?: {
        limit?: number
        /** @description `nextCursor` of the page before */
        cursor?: string
        agent?: string
        status?: components["schemas"]["SessionStatus"]
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Sessions, newest first */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            sessions: components["schemas"]["Session"][]
            nextCursor?: string
          }
        }
      }
    }
  }
  createSessionWithNewId: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateSessionRequest"]
      }
    }
    responses: {
      /** @description Create a session with an id made by the daemon */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["CreatedSession"]
        }
      }
    }
  }
  getSession: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description State of a session */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Session"]
        }
      }
    }
  }
  createSession: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateSessionRequest"]
      }
    }
    responses: {
      /** @description Create a session */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["CreatedSession"]
        }
      }
    }
  }
  deleteSession: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Delete a session and its log */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            /** @constant */
            deleted: true
          }
        }
      }
    }
  }
  patchSession: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateSessionRequest"]
      }
    }
    responses: {
      /** @description Change title, modes, model, variant or metadata */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["UpdatedSession"]
        }
      }
    }
  }
  cancelTurn: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CancelTurnRequest"]
      }
    }
    responses: {
      /** @description Interrupt the running turn */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["CancelledTurn"]
        }
      }
    }
  }
  terminateSession: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["EmptyRequest"]
      }
    }
    responses: {
      /** @description End the session */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            session: components["schemas"]["Session"]
          }
        }
      }
    }
  }
  resumeSession: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["EmptyRequest"]
      }
    }
    responses: {
      /** @description Bring an ended session back */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["CreatedSession"]
        }
      }
    }
  }
  forkSession: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ForkSessionRequest"]
      }
    }
    responses: {
      /** @description New session from this one */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["ForkedSession"]
        }
      }
    }
  }
  listItems: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Folded transcript */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            items: components["schemas"]["Item"][]
            sequence: number
          }
        }
      }
    }
  }
  listPending: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Open permissions and questions */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            permissions: components["schemas"]["Permission"][]
            questions: components["schemas"]["Question"][]
          }
        }
      }
    }
  }
  getBlob: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
        hash: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Bytes of an attachment or image */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/octet-stream": string
        }
      }
    }
  }
  replyPermission: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
        permissionId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReplyPermissionRequest"]
      }
    }
    responses: {
      /** @description Answer a permission */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            permission: components["schemas"]["Permission"]
          }
        }
      }
    }
  }
  replyQuestion: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
        questionId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReplyQuestionRequest"]
      }
    }
    responses: {
      /** @description Answer a question */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            question: components["schemas"]["Question"]
          }
        }
      }
    }
  }
  rejectQuestion: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
        questionId: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RejectQuestionRequest"]
      }
    }
    responses: {
      /** @description Refuse to answer a question */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            question: components["schemas"]["Question"]
          }
        }
      }
    }
  }
  restoreSession: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["RestoreSessionRequest"]
      }
    }
    responses: {
      /** @description Restore a session of another daemon */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["RestoredSession"]
        }
      }
    }
  }
  postMessage: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["PostMessageRequest"]
      }
    }
    responses: {
      /** @description Send a message */
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["PostedMessage"]
        }
      }
    }
  }
  streamMessage: {
    parameters: {
      query?: {
        /** @description also return the native line of each event */
        include_raw?: boolean
        /** @description same as include_raw */
        includeRaw?: boolean
      }
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["PostMessageRequest"]
      }
    }
    responses: {
      /** @description Send a message and stream the turn that takes it. Of the stream, the schema is that of one `data`. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "text/event-stream": components["schemas"]["Event"]
        }
      }
    }
  }
  withdrawMessage: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
        messageId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Withdraw a queued message */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            messageId: string
            /** @constant */
            state: "withdrawn"
          }
        }
      }
    }
  }
  getEvents: {
    parameters: {
      query?: {
        /** @description last seen sequence, exclusive; default 0 */
        offset?: number
        limit?: number
        /** @description also return the native line of each event */
        include_raw?: boolean
        /** @description same as include_raw */
        includeRaw?: boolean
      }
      header?: never
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Events after a sequence */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            events: components["schemas"]["Event"][]
            hasMore: boolean
          }
        }
      }
    }
  }
  streamEvents: {
    parameters: {
      query?: {
        /** @description last seen sequence, exclusive; default 0 */
        offset?: number
        /** @description also return the native line of each event */
        include_raw?: boolean
        /** @description same as include_raw */
        includeRaw?: boolean
      }
      header?: {
        /** @description last seen sequence; wins over `offset` */
        "Last-Event-ID"?: string
      }
      path: {
        /** @description session id, chosen by the client */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Replay, then live, on one stream. Of the stream, the schema is that of one `data`. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "text/event-stream": components["schemas"]["Event"]
        }
      }
    }
  }
  runProcess: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["RunProcessRequest"]
      }
    }
    responses: {
      /** @description Run a program and wait for its end. Of the stream, the schema is that of one `data`. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["RanProcess"]
          "text/event-stream": components["schemas"]["ProcessLogEntry"] | components["schemas"]["ProcessExit"]
        }
      }
    }
  }
  getProcessConfig: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Limits of processes */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["ProcessConfig"]
        }
      }
    }
  }
  setProcessConfig: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ProcessConfigRequest"]
      }
    }
    responses: {
      /** @description Change the limits of processes */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["ProcessConfig"]
        }
      }
    }
  }
  listProcesses: {
    parameters: {
      query?: {
        /** @description those of clients are `user` */
        owner?: components["schemas"]["ProcessOwner"]
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Processes, running and ended */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            processes: components["schemas"]["Process"][]
          }
        }
      }
    }
  }
  startProcess: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["StartProcessRequest"]
      }
    }
    responses: {
      /** @description Start a process */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  getProcess: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description One process */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  deleteProcess: {
    parameters: {
      query?: {
        /** @description ends it first, if it runs; else that is a conflict */
        force?: boolean
      }
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Forget a process that has ended, and its log */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  waitForProcess: {
    parameters: {
      query?: {
        /** @description how long; default: an hour */
        waitMs?: number
      }
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Wait until a process has ended */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  getProcessLogs: {
    parameters: {
      query?: {
        /** @description default `combined` */
        stream?: components["schemas"]["ProcessLogsStream"]
        /** @description last seen sequence, exclusive; default 0 */
        since?: number
        /** @description only so many of the last entries */
        tail?: number
        follow?: boolean
      }
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Output of a process. Of the stream, the schema is that of one `data`. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["ProcessLogs"]
          "text/event-stream":
            | components["schemas"]["ProcessLogEntry"]
            | components["schemas"]["ProcessPortEvent"]
            | components["schemas"]["ProcessGap"]
            | components["schemas"]["ProcessEnd"]
        }
      }
    }
  }
  writeProcessInput: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ProcessInputRequest"]
      }
    }
    responses: {
      /** @description Write to the input of a process */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["WrittenInput"]
        }
      }
    }
  }
  signalProcess: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ProcessSignalRequest"]
      }
    }
    responses: {
      /** @description Send a signal to a process and all of its group */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  stopProcess: {
    parameters: {
      query?: {
        /** @description waits so long for its end; default 0 */
        waitMs?: number
      }
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Ask a process to end (SIGTERM) */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  killProcess: {
    parameters: {
      query?: {
        /** @description waits so long for its end; default 1000 */
        waitMs?: number
      }
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description End a process with all it started (SIGKILL) */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  listTerminals: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Terminals, open and ended */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": {
            terminals: components["schemas"]["Process"][]
          }
        }
      }
    }
  }
  startTerminal: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StartTerminalRequest"]
      }
    }
    responses: {
      /** @description Open a terminal */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  getTerminal: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description One terminal */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  closeTerminal: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Close a terminal, with all that runs in it, and forget it */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  resizeTerminal: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["TerminalSizeRequest"]
      }
    }
    responses: {
      /** @description Change the size of a terminal */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["TerminalSize"]
        }
      }
    }
  }
  makeTerminalTicket: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description process id */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A ticket for one WebSocket to this terminal */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["TerminalTicket"]
        }
      }
    }
  }
  listFsEntries: {
    parameters: {
      query?: {
        /** @description without it the session's directory, else the first --fs-root, else where the daemon runs */
        path?: string
        /** @description relative paths begin in its directory */
        sessionId?: string
        /** @description how many levels of folders; 1 without */
        depth?: number
        /** @description also names that begin with a dot; true without */
        hidden?: boolean
        /** @description leave out what .gitignore files name, and .git */
        gitignore?: boolean
        limit?: number
        /** @description `x-next-cursor` of the page before */
        cursor?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Contents of a folder */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["FileEntry"][]
        }
      }
    }
  }
  statFsEntry: {
    parameters: {
      query: {
        /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
        path: string
        /** @description relative paths begin in its directory */
        sessionId?: string
        /** @description what a link leads to and not the link; true without */
        follow?: boolean
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Metadata of a file or folder */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["FileStat"]
        }
      }
    }
  }
  readFsFile: {
    parameters: {
      query: {
        /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
        path: string
        /** @description relative paths begin in its directory */
        sessionId?: string
        /** @description have browsers save it */
        download?: boolean
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The bytes of a file */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/octet-stream": string
        }
      }
    }
  }
  writeFsFile: {
    parameters: {
      query: {
        /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
        path: string
        /** @description relative paths begin in its directory */
        sessionId?: string
        /** @description octal digits; without it as before, or as the system makes new files */
        mode?: string
        /** @description make the folders that are missing; true without */
        parents?: boolean
        /** @description answer when the disk has it */
        fsync?: boolean
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/octet-stream": string
      }
    }
    responses: {
      /** @description Write a file */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["WrittenFile"]
        }
      }
    }
  }
  headFsFile: {
    parameters: {
      query: {
        /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
        path: string
        /** @description relative paths begin in its directory */
        sessionId?: string
        /** @description have browsers save it */
        download?: boolean
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The headers of a file, without its bytes */
      200: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  uploadFsBatch: {
    parameters: {
      query?: {
        /** @description the folder, made if it is missing */
        path?: string
        /** @description relative paths begin in its directory */
        sessionId?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/x-tar": string
      }
    }
    responses: {
      /** @description Unpack an archive into a folder */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["UploadedFiles"]
        }
      }
    }
  }
  archiveFs: {
    parameters: {
      query?: {
        /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
        path?: string
        /** @description relative paths begin in its directory */
        sessionId?: string
        /** @description tar without */
        format?: "tar" | "tar.gz" | "tar.zst"
        /** @description also names that begin with a dot; true without */
        hidden?: boolean
        /** @description leave out what .gitignore files name, and .git */
        gitignore?: boolean
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A folder as an archive */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/octet-stream": string
        }
      }
    }
  }
  watchFs: {
    parameters: {
      query?: {
        /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
        path?: string
        /** @description relative paths begin in its directory */
        sessionId?: string
        /** @description also in folders below; true without */
        recursive?: boolean
        /** @description leave out what .gitignore files name, and .git */
        gitignore?: boolean
      }
      header?: {
        /** @description last seen sequence; wins over `offset` */
        "Last-Event-ID"?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Changes in a folder, as they happen. Of the stream, the schema is that of one `data`. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "text/event-stream": components["schemas"]["FileChange"]
        }
      }
    }
  }
  searchFs: {
    parameters: {
      query: {
        /** @description what to find */
        pattern: string
        /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
        path?: string
        /** @description relative paths begin in its directory */
        sessionId?: string
        /** @description text without */
        mode?: "text" | "regex" | "names"
        ignoreCase?: boolean
        /** @description only these files, separated by commas, as in an ignore file; with `!` all but these */
        globs?: string
        /** @description lines around each match */
        context?: number
        limit?: number
        /** @description also names that begin with a dot */
        hidden?: boolean
        /** @description pass over what .gitignore and .ignore files name; true without */
        gitignore?: boolean
      }
      header?: {
        /** @description last seen sequence; wins over `offset` */
        "Last-Event-ID"?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Find files by name or by what is in them. Of the stream, the schema is that of one `data`. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "text/event-stream": components["schemas"]["SearchEvent"]
        }
      }
    }
  }
  makeFsDirectory: {
    parameters: {
      query: {
        /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
        path: string
        /** @description relative paths begin in its directory */
        sessionId?: string
        /** @description make the folders in front of it, too; true without */
        parents?: boolean
        mode?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Make a folder */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["NamedFile"]
        }
      }
    }
  }
  moveFsEntry: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["MoveFileRequest"]
      }
    }
    responses: {
      /** @description Move or rename a file or folder */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["MovedFile"]
        }
      }
    }
  }
  copyFsEntry: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["CopyFileRequest"]
      }
    }
    responses: {
      /** @description Copy a file or folder */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["CopiedFiles"]
        }
      }
    }
  }
  deleteFsEntry: {
    parameters: {
      query: {
        /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
        path: string
        /** @description relative paths begin in its directory */
        sessionId?: string
        /** @description a folder with everything in it; 409 without */
        recursive?: boolean
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Remove a file, a link or a folder */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["NamedFile"]
        }
      }
    }
  }
  chmodFsEntry: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ChangeModeRequest"]
      }
    }
    responses: {
      /** @description Change the mode of a file or folder */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["NamedFile"]
        }
      }
    }
  }
  getMcpConfig: {
    parameters: {
      query: {
        /** @description absolute; the directory of sessions */
        directory: string
        /** @description its name in sessions */
        mcpName?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description An MCP server configured for a directory */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["McpServerConfig"] | components["schemas"]["McpServerList"]
        }
      }
    }
  }
  setMcpConfig: {
    parameters: {
      query: {
        /** @description absolute; the directory of sessions */
        directory: string
        /** @description its name in sessions */
        mcpName: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["McpConfigRequest"]
      }
    }
    responses: {
      /** @description Configure an MCP server for a directory */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  deleteMcpConfig: {
    parameters: {
      query: {
        /** @description absolute; the directory of sessions */
        directory: string
        /** @description its name in sessions */
        mcpName: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Remove an MCP server from a directory */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  getSkillsConfig: {
    parameters: {
      query: {
        /** @description absolute; the directory of sessions */
        directory: string
        /** @description name of the entry */
        skillName?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Skills configured for a directory */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["SkillsConfig"] | components["schemas"]["SkillsList"]
        }
      }
    }
  }
  setSkillsConfig: {
    parameters: {
      query: {
        /** @description absolute; the directory of sessions */
        directory: string
        /** @description name of the entry */
        skillName: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["SkillsConfigRequest"]
      }
    }
    responses: {
      /** @description Configure skills for a directory */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  deleteSkillsConfig: {
    parameters: {
      query: {
        /** @description absolute; the directory of sessions */
        directory: string
        /** @description name of the entry */
        skillName: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Remove skills from a directory */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  attachTerminal: {
    parameters: {
      query?: {
        /** @description of `POST /v1/terminals/{id}/ticket`; good once, for half a minute */
        ticket?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The connection is a WebSocket from here on */
      101: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
}
