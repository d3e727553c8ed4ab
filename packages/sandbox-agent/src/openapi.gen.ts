/** Made from docs/openapi.json by `npm run docs`; do not edit. */

export interface components {
  schemas: {
    /** @description The daemon answers. */
    Health: {
      /**
       * @description always `ok`
       * @constant
       */
      status: "ok"
      /** @description of the daemon */
      version: string
      /** @description milliseconds since its start */
      uptimeMs: number
    }
    /** @description What a page is signed in with. */
    Ticket: {
      /** @description good once */
      ticket: string
      /** @description milliseconds since 1970 */
      expiresAtMs: number
    }
    /** @description A ticket to be exchanged for the token. */
    RedeemTicketRequest: {
      /** @description of `POST /v1/tickets` */
      ticket: string
    }
    /** @description What a ticket stood for. */
    RedeemedTicket: {
      /** @description absent where the daemon asks for none */
      token?: string
    }
    /** @description An agent, what it can do, and whether it is ready. */
    Agent: {
      /** @description as in `agent` of a session */
      id: string
      /** @description for people */
      name: string
      /**
       * @description whether the conformance suite proves it
       * @enum {string}
       */
      stability: "stable" | "experimental"
      /** @description its program is there; else the first session installs it */
      installed: boolean
      /** @description of the program, asked for with this request */
      version?: string
      /** @description where the program is */
      path?: string
      /**
       * @description where it came from: installed by the daemon, on PATH, named in the configuration, or part of the daemon
       * @enum {string}
       */
      source?: "managed" | "path" | "config" | "builtin"
      /** @description true only when found, or when none are needed */
      credentialsAvailable: boolean
      /**
       * @description `unknown`: nobody has said what this agent logs in with, or it may need nothing of what was looked for; a session tells
       * @enum {string}
       */
      credentials: "available" | "missing" | "unknown"
      /** @description what it can do; what is false here is refused with 501, or never comes */
      capabilities: components["schemas"]["Capabilities"]
      /** @description its process that several sessions share, or the newest of those it has */
      process: components["schemas"]["AgentProcess"]
    }
    /** @description What an agent can do; the conformance suite holds it to each. */
    Capabilities: {
      /** @description answers with text */
      textMessages: boolean
      /** @description shows its tool calls */
      toolCalls: boolean
      /** @description shows what tools returned */
      toolResults: boolean
      /** @description streams text as it is written */
      streamingDeltas: boolean
      /** @description says when an item begins */
      itemStarted: boolean
      /** @description shows its reasoning */
      reasoning: boolean
      /** @description takes images */
      images: boolean
      /** @description takes files */
      fileAttachments: boolean
      /** @description asks before it acts */
      permissions: boolean
      /** @description asks questions */
      questions: boolean
      /** @description asks for approval of a plan */
      planApproval: boolean
      /** @description says when its conversation begins and ends */
      sessionLifecycle: boolean
      /** @description tells errors as events */
      errorEvents: boolean
      /** @description tells what it does besides, as status items */
      status: boolean
      /** @description runs commands */
      commandExecution: boolean
      /** @description changes files, with diffs */
      fileChanges: boolean
      /** @description uses MCP servers given at create */
      mcpTools: boolean
      /** @description has effort levels */
      variants: boolean
      /** @description serves several sessions with one process */
      sharedProcess: boolean
      /** @description has agent modes beside `build` */
      modes: boolean
      /** @description lets its model be chosen */
      models: boolean
      /** @description can be interrupted */
      interrupt: boolean
      /** @description takes messages into the running turn */
      steer: boolean
      /** @description goes on after its process has ended */
      resume: boolean
      /** @description can fork a session by itself */
      fork: boolean
      /** @description shows what its sub-agents do */
      subagents: boolean
      /** @description tells its plan */
      plans: boolean
      /** @description tells tokens */
      usage: boolean
    }
    /** @description A process of an agent. */
    AgentProcess: {
      /**
       * @description what it does
       * @enum {string}
       */
      status: "stopped" | "starting" | "running" | "failed"
      /** @description of the running process */
      pid?: number
      /** @description milliseconds since its start */
      uptimeMs?: number
      /** @description memory that it has now */
      rssBytes?: number
      /** @description how often it was started again after it died */
      restartCount: number
      /** @description of its last death */
      lastError?: string
    }
    /** @description Which version to install, and whether to do so again. */
    InstallRequest: {
      /** @description download it even if it is there */
      reinstall?: boolean
      /** @description exact version; default: the newest */
      version?: string
      /** @description the session that needs it: where the agent surely has no login there, nothing is installed and `unavailable` says what is missing */
      forSession?: {
        /** @description absolute; default: where the daemon runs */
        directory?: string
        /** @description variables that the session would give the agent */
        env?: {
          [key: string]: string
        }
      }
    }
    /** @description What an install came to. */
    InstallResult: {
      /** @description its program is there and answers */
      installed: boolean
      /** @description what the program says of itself */
      version?: string
      /** @description where the program is */
      path?: string
      /** @description what failed before it, and that it is not the newest version, where it is not */
      notes?: string[]
      /** @description why it is not installed */
      error?: components["schemas"]["AgentError"]
    }
    /** @description Why an agent cannot be used. */
    AgentError: {
      /** @description one of the closed list of errors */
      code: components["schemas"]["ErrorCode"] | string
      /** @description what happened */
      message: string
      /** @description id of the agent */
      agent?: string
      /** @description id of the session */
      sessionId?: string
      /** @description of the agent's process */
      exitCode?: number
      /** @description that ended the agent's process */
      signal?: string
      /** @description what the process wrote to stderr last */
      stderr?: components["schemas"]["Stderr"]
      /** @description what to do about it */
      hint?: string
    }
    /**
     * @description The closed list of errors.
     * @enum {string}
     */
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
      /** @description the first lines, or all of them */
      head?: string
      /** @description the last lines, of more than 70 */
      tail?: string
      /** @description lines between the two are missing */
      truncated: boolean
      /** @description how many there were */
      total_lines?: number
    }
    /** @description One event of an install that is streamed. */
    InstallEvent:
      | components["schemas"]["InstallProgressEvent"]
      | components["schemas"]["InstallDoneEvent"]
      | components["schemas"]["InstallErrorEvent"]
    /** @description How far an install is. */
    InstallProgressEvent: {
      /**
       * @description always `install.progress` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "install.progress"
      /** @description wait, resolve, download, verify, unpack, check, activate */
      phase: string
      /** @description downloaded so far */
      bytes: number
      /** @description of the download, where it is known */
      total?: number
      /** @description where it comes from: npm or vendor */
      source?: string
      /** @description a word for people */
      message?: string
    }
    /** @description The last event of an install that worked. */
    InstallDoneEvent: {
      /** @description its program is there and answers */
      installed: boolean
      /** @description what the program says of itself */
      version?: string
      /** @description where the program is */
      path?: string
      /** @description what failed before it, and that it is not the newest version, where it is not */
      notes?: string[]
      /** @description why it is not installed */
      error?: components["schemas"]["AgentError"]
      /**
       * @description always `install.done` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "install.done"
    }
    /** @description The last event of an install that failed: a problem. */
    InstallErrorEvent: {
      /**
       * @description always `error` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "error"
      /** @description the error in a few words */
      title: string
      /** @description as an HTTP answer would have it */
      status: number
      /** @description what happened, and what was tried */
      detail: string
      /** @description of this request */
      requestId?: string
      /** @description what to do about it */
      hint?: string
      /** @description id of the agent */
      agent?: string
      /** @description id of the session it is about */
      sessionId?: string
      /** @description of a process that ended */
      exitCode?: number
      /** @description what the process wrote to stderr last */
      stderr?: components["schemas"]["Stderr"]
      /** @description the type of the problem: urn:sandbox-agent:error:<code> */
      problem: string
    }
    /** @description An agent mode. */
    Mode: {
      /** @description as in `agentMode` */
      id: string
      /** @description for people */
      name: string
      /** @description what it is for */
      description?: string
      /**
       * @description nobody vouches that the agent still asks in it: taken only in permission mode `bypass`
       * @constant
       */
      unverified?: true
    }
    /** @description A model that the agent can be told to use. */
    Model: {
      /** @description as in `model` */
      id: string
      /** @description for people */
      name: string
      /** @description its effort levels, as in `variant`; empty where it has none */
      variants: string[]
      /** @description the one that is used when none is named */
      defaultVariant?: string
    }
    /**
     * @description What a session does now.
     * @enum {string}
     */
    SessionStatus: "installing" | "starting" | "idle" | "running" | "waiting" | "ended"
    /** @description A conversation with one agent in one directory. */
    Session: {
      /** @description chosen by the client, or made by the daemon */
      id: string
      /** @description id of the agent, such as `claude` */
      agent: string
      /** @description version of the agent's program, once it is known */
      agentVersion?: string
      /** @description what the agent does: `build`, `plan`, or a mode of its own */
      agentMode: string
      /** @description what the agent may do without asking */
      permissionMode: components["schemas"]["PermissionMode"]
      /** @description model, where one was chosen or the agent has told it */
      model?: string
      /** @description effort of the model, such as `high` */
      variant?: string
      /** @description where the agent works; absolute */
      directory: string
      /** @description for people; given, or made by the agent */
      title?: string
      /** @description the agent's own id of the conversation, once it has told it */
      nativeSessionId?: string
      /** @description what the session does now; `waiting` is for an answer of a person */
      status: components["schemas"]["SessionStatus"]
      /** @description whether the agent's process runs; it is started by the next message */
      agentProcess: components["schemas"]["AgentProcessState"]
      /** @description pieces of work that go on after their turn */
      background: number
      /** @description messages that wait for their turn, next first */
      queue: components["schemas"]["QueuedMessage"][]
      /** @description requests that wait for an answer */
      pending: {
        /** @description number of permissions */
        permissions: number
        /** @description number of questions */
        questions: number
      }
      /** @description first event that is still kept */
      firstSequence: number
      /** @description last event of the log */
      lastSequence: number
      /** @description tokens and cost of the whole session, as far as the agent tells */
      usage?: components["schemas"]["Usage"]
      /** @description RFC 3339 */
      createdAt: string
      /** @description RFC 3339; of the last event */
      updatedAt: string
      /** @description RFC 3339; of a session that has ended */
      endedAt?: string
      /** @description why the agent cannot be used, or why the last turn failed; absent when neither is so */
      error?: components["schemas"]["AgentError"]
      /** @description of the client; returned as it was given */
      metadata: components["schemas"]["Metadata"]
    }
    /**
     * @description What an agent may do without asking.
     * @enum {string}
     */
    PermissionMode: "default" | "acceptEdits" | "plan" | "bypass"
    /**
     * @description Whether the process of a session's agent runs.
     * @enum {string}
     */
    AgentProcessState: "none" | "starting" | "live"
    /** @description A message that waits for its turn. */
    QueuedMessage: {
      /** @description id of the message */
      messageId: string
      /** @description the turn that will take it */
      turnId: string
      /** @description 0 is next */
      position: number
      /** @description whether it waits for its turn or goes into the one that runs */
      delivery: components["schemas"]["Delivery"]
    }
    /**
     * @description `queue`: after the running turn; `steer`: into it, where the agent can.
     * @enum {string}
     */
    Delivery: "queue" | "steer"
    /** @description Tokens and cost, as the agent tells them. */
    Usage: {
      /** @description all that the model read, cached tokens included */
      input_tokens: number
      /** @description all that the model wrote */
      output_tokens: number
      /** @description of the input, what came from the cache */
      cached_tokens?: number
      /** @description of the output, what was reasoning */
      reasoning_tokens?: number
      /** @description tokens in the model's context now */
      context_used?: number
      /** @description tokens that fit into it */
      context_size?: number
      /** @description absent when it is not known */
      cost_usd?: number
    }
    /** @description Any JSON object of the client's. */
    Metadata: {
      [key: string]: components["schemas"]["JsonValue"]
    }
    /** @description Any JSON, passed on as it came. */
    JsonValue: unknown
    /** @description A session to be created. What is left out has its default. */
    CreateSessionRequest: {
      /** @description agent id, such as `claude` or `mock`; default: that of the daemon (`--default-agent`) */
      agent?: string
      /** @description what the agent does; default "build" */
      agentMode?: string
      /** @description what it may do without asking; default "default" */
      permissionMode?: components["schemas"]["PermissionMode"]
      /** @description as listed for the agent; default: the agent's own */
      model?: string
      /** @description effort of the model, as listed with it */
      variant?: string
      /** @description exact version of the agent; default: the one that is installed, else the newest */
      agentVersion?: string
      /** @description absolute; default: where the daemon runs */
      directory?: string
      /** @description for people */
      title?: string
      /** @description MCP servers by name, beside those of the directory */
      mcp?: {
        [key: string]: components["schemas"]["McpServer"]
      }
      /** @description skills, beside those of the directory */
      skills?: components["schemas"]["Skill"][]
      /** @description goes on top of the agent's own */
      systemPrompt?: string
      /** @description variables of the agent, over those it sees of the daemon; never returned */
      env?: {
        [key: string]: string
      }
      /** @description anything of yours; returned as it is */
      metadata?: components["schemas"]["Metadata"]
      /** @description adopt a session the agent already has */
      nativeSessionId?: string
    }
    /** @description An MCP server that the agent may use. */
    McpServer: components["schemas"]["McpProgram"] | components["schemas"]["McpAddress"]
    /** @description An MCP server that the agent starts. */
    McpProgram: {
      /**
       * @description may be left out
       * @constant
       */
      type?: "stdio"
      /** @description the program; found on PATH unless it has a slash */
      command: string
      /** @description its arguments */
      args?: string[]
      /** @description its variables; never returned */
      env?: {
        [key: string]: string
      }
      /** @description where it runs; relative to the session's directory */
      cwd?: string
      /** @description how long it may take to start, where the agent can be told */
      timeoutMs?: number
    }
    /** @description An MCP server at an address. */
    McpAddress: {
      /**
       * @description how it is spoken to
       * @enum {string}
       */
      type: "http" | "sse"
      /**
       * Format: uri
       * @description its address
       */
      url: string
      /** @description sent with every request; never returned */
      headers?: {
        [key: string]: string
      }
      /** @description how long it may take to answer first, where the agent can be told */
      timeoutMs?: number
    }
    /** @description A skill that the agent may use: a folder, or the text of one. */
    Skill: {
      /** @description as the agent calls it */
      name: string
      /** @description its folder, or its SKILL.md */
      path?: string
      /** @description text of its SKILL.md */
      content?: string
    }
    /** @description A session that was just created or brought back. */
    CreatedSession: {
      /** @description false: the session exists, and its agent cannot be used yet; the next message tries again */
      healthy: boolean
      /** @description why it is not healthy, with a hint */
      error?: components["schemas"]["AgentError"]
      /** @description the agent's own id, where it is known already */
      nativeSessionId?: string
      /** @description its state */
      session: components["schemas"]["Session"]
    }
    /** @description What to change; the rest stays as it is. */
    UpdateSessionRequest: {
      /** @description for people */
      title?: string
      /** @description what the agent does, as listed for it */
      agentMode?: string
      /** @description what the agent may do without asking */
      permissionMode?: components["schemas"]["PermissionMode"]
      /** @description as listed for the agent */
      model?: string
      /** @description effort of the model, as listed with it */
      variant?: string
      /** @description takes the place of what was there */
      metadata?: components["schemas"]["Metadata"]
    }
    /** @description A session after a change. */
    UpdatedSession: {
      /** @description its state */
      session: components["schemas"]["Session"]
      /**
       * @description when the change is in force: `now`, with the next turn, or when the agent is opened again
       * @enum {string}
       */
      applied: "now" | "next_turn" | "reopen"
    }
    /** @description What to stop besides the running turn. */
    CancelTurnRequest: {
      /** @description also withdraw what waits in the queue */
      queue?: boolean
      /** @description also end background work */
      background?: boolean
    }
    /** @description What came of an interrupt. */
    CancelledTurn: {
      /** @description the turn has ended; false only when even force did not end it */
      ended: boolean
      /** @description the turn; absent when none was running */
      turnId?: string
      /** @description ids of the messages taken out of the queue */
      withdrawn: string[]
    }
    /** @description Nothing; it may be left out. */
    EmptyRequest: Record<string, never>
    /** @description The new session. What is left out it has of the one it is forked from. */
    ForkSessionRequest: {
      /** @description goes on with this agent, which is told of the session in a brief */
      agent?: string
      /** @description what the agent does; default "build" */
      agentMode?: string
      /** @description what it may do without asking; default "default" */
      permissionMode?: components["schemas"]["PermissionMode"]
      /** @description as listed for the agent; default: the agent's own */
      model?: string
      /** @description effort of the model, as listed with it */
      variant?: string
      /** @description exact version of the agent; default: the one that is installed, else the newest */
      agentVersion?: string
      /** @description for people */
      title?: string
      /** @description MCP servers by name, beside those of the directory */
      mcp?: {
        [key: string]: components["schemas"]["McpServer"]
      }
      /** @description skills, beside those of the directory */
      skills?: components["schemas"]["Skill"][]
      /** @description goes on top of the agent's own */
      systemPrompt?: string
      /** @description variables of the agent, over those it sees of the daemon; never returned */
      env?: {
        [key: string]: string
      }
      /** @description anything of yours; returned as it is */
      metadata?: components["schemas"]["Metadata"]
      /** @description of the new session */
      id: string
      /** @description the fork stands at the last turn that had ended there */
      atSequence?: number
    }
    /** @description The new session, and where it stands. */
    ForkedSession: components["schemas"]["CreatedSession"] & {
      /** @description the sequence of the other session that this one stands at */
      forkedAtSequence: number
    }
    /** @description One block of the transcript: a text, reasoning, a tool call, a tool result, a status note. */
    Item: {
      /** @description given by the daemon */
      item_id: string
      /** @description the agent's own id, where it has one */
      native_item_id?: string
      /** @description the message that made this call, or the call that started the sub-agent this is from */
      parent_id?: string
      /** @description the turn it belongs to */
      turn_id?: string
      /** @description of what a user said: the message */
      message_id?: string
      /** @description the native message this block came from */
      group?: string
      /** @description what it is */
      kind: components["schemas"]["ItemKind"]
      /** @description who says it */
      role?: components["schemas"]["ItemRole"]
      /** @description `failed` also when it was cut off */
      status: components["schemas"]["ItemStatus"]
      /** @description came after its turn had ended */
      late?: boolean
      /** @description more of the agent's; `reason` of a failed item */
      metadata?: components["schemas"]["Metadata"]
      /** @description its parts */
      content: components["schemas"]["ContentPart"][]
    }
    /**
     * @description What an item is; `unknown` is what a driver does not know, with the native line in `raw`.
     * @enum {string}
     */
    ItemKind: "message" | "tool_call" | "tool_result" | "system" | "status" | "unknown"
    /**
     * @description Who an item is from.
     * @enum {string}
     */
    ItemRole: "user" | "assistant" | "system" | "tool"
    /**
     * @description Whether an item goes on, is whole, or was cut off.
     * @enum {string}
     */
    ItemStatus: "in_progress" | "completed" | "failed"
    /** @description One typed piece of an item. */
    ContentPart:
      | components["schemas"]["TextPart"]
      | components["schemas"]["JsonPart"]
      | components["schemas"]["ToolCallPart"]
      | components["schemas"]["ToolResultPart"]
      | components["schemas"]["FileRefPart"]
      | components["schemas"]["ImagePart"]
      | components["schemas"]["ReasoningPart"]
      | components["schemas"]["StatusPart"]
    /** @description Text. */
    TextPart: {
      /**
       * @description always `text` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "text"
      /** @description Markdown, as the model wrote it */
      text: string
    }
    /** @description Data. */
    JsonPart: {
      /**
       * @description always `json` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "json"
      /** @description any JSON */
      json: components["schemas"]["JsonValue"]
    }
    /** @description A tool that is called. */
    ToolCallPart: {
      /**
       * @description always `tool_call` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "tool_call"
      /** @description of the tool, as the agent calls it */
      name: string
      /** @description JSON text */
      arguments: string
      /** @description joins the call and its result */
      call_id: string
      /** @description what it does, for people */
      title?: string
      /** @description what sort of tool it is, where the agent tells */
      kind?: string
    }
    /** @description What a tool returned. */
    ToolResultPart: {
      /**
       * @description always `tool_result` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "tool_result"
      /** @description of the call */
      call_id: string
      /** @description as text */
      output: string
      /** @description the tool failed */
      is_error?: boolean
      /** @description the call goes on in the background */
      detached?: boolean
      /** @description the middle was left out; the native line has all of it */
      truncated?: boolean
    }
    /** @description A file that was read or changed. */
    FileRefPart: {
      /**
       * @description always `file_ref` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "file_ref"
      /** @description of the file */
      path: string
      /**
       * @description what was done to it
       * @enum {string}
       */
      action: "read" | "write" | "patch"
      /** @description of a change, as a unified diff */
      diff?: string
      /** @description hash; the bytes are at …/blobs/{hash} */
      blob?: string
      /** @description its media type */
      mime?: string
    }
    /** @description An image. */
    ImagePart: {
      /**
       * @description always `image` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "image"
      /** @description of the file */
      path?: string
      /** @description hash; the bytes are at …/blobs/{hash} */
      blob?: string
      /** @description its media type */
      mime?: string
    }
    /** @description What the model thought. */
    ReasoningPart: {
      /**
       * @description always `reasoning` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "reasoning"
      /** @description the thinking, or a summary of it */
      text: string
      /**
       * @description `public`: a summary for the user; `private`: raw thinking
       * @enum {string}
       */
      visibility: "public" | "private"
    }
    /** @description A note of the agent's or the daemon's. */
    StatusPart: {
      /**
       * @description always `status` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "status"
      /** @description `<agent>.<event>` */
      label: string
      /** @description more about it */
      detail?: string
    }
    /** @description An agent asks whether it may do something. */
    Permission: {
      /** @description as in the path of the reply */
      permission_id: string
      /** @description what it wants to do, in its own word: often the name of a tool */
      action: string
      /**
       * @description `requested` while it waits; then what was decided
       * @enum {string}
       */
      status: "requested" | "accept" | "accept_for_session" | "reject" | "cancelled"
      /** @description what sort of thing it is */
      kind: components["schemas"]["PermissionKind"]
      /** @description what exactly it would do: show this */
      detail?: components["schemas"]["PermissionDetail"]
      /** @description replies that can be given */
      choices: components["schemas"]["PermissionReply"][]
      /** @description the tool call it is about */
      item_id?: string
      /** @description of that tool call */
      call_id?: string
      /** @description the turn that waits */
      turn_id?: string
      /**
       * @description who decided: a person, a rule of an earlier `always`, or the permission mode
       * @enum {string}
       */
      by?: "client" | "rule" | "mode"
      /** @description why it was decided so */
      reason?: string
      /** @description what the client said with its reply */
      message?: string
      /** @description more of the agent's */
      metadata?: components["schemas"]["Metadata"]
    }
    /**
     * @description What sort of thing a permission is about.
     * @enum {string}
     */
    PermissionKind: "command" | "file_change" | "tool" | "network" | "other"
    /** @description What exactly is asked for; agents may tell more than these. */
    PermissionDetail: {
      /** @description the command that would run */
      command?: string
      /** @description the file that would change */
      path?: string
      /** @description what would change in it */
      diff?: string
    }
    /**
     * @description `always` holds for the rest of the session.
     * @enum {string}
     */
    PermissionReply: "once" | "always" | "reject"
    /** @description An agent asks a person. */
    Question: {
      /** @description as in the path of the reply */
      question_id: string
      /** @description of its first part */
      prompt: string
      /** @description labels of its first part */
      options: string[]
      /**
       * @description `requested` while it waits; then what came of it
       * @enum {string}
       */
      status: "requested" | "answered" | "rejected" | "cancelled"
      /** @description its parts, each to be answered */
      questions: components["schemas"]["QuestionPart"][]
      /** @description the tool call it is about */
      item_id?: string
      /** @description of that tool call */
      call_id?: string
      /** @description the turn that waits */
      turn_id?: string
      /** @description the answers as one text */
      response?: string
      /** @description one array per part; empty for secret ones */
      answers?: string[][]
      /**
       * @description `plan_approval`: `Approve` or `Reject` a plan
       * @constant
       */
      purpose?: "plan_approval"
      /** @description why it was cancelled */
      reason?: string
      /** @description what the client said when it was rejected */
      message?: string
    }
    /** @description One thing that is asked. */
    QuestionPart: {
      /** @description of this part */
      id: string
      /** @description a word or two above it */
      header?: string
      /** @description what is asked */
      prompt: string
      /**
       * @description what sort of field to show
       * @enum {string}
       */
      type: "choice" | "text" | "number" | "boolean"
      /** @description what can be chosen; empty for free text */
      options: components["schemas"]["QuestionOption"][]
      /** @description several may be chosen */
      multi_select: boolean
      /** @description free text is taken, too */
      allow_other: boolean
      /** @description an empty answer is refused */
      required?: boolean
      /** @description hide what is typed; it is not logged */
      secret?: boolean
      /** @description to be opened; the answer says that it was done */
      url?: string
    }
    /** @description Something to choose. */
    QuestionOption: {
      /** @description what is sent back */
      label: string
      /** @description what it means */
      description?: string
    }
    /** @description An agent's own record of a session, to be carried to another daemon. */
    NativeState: {
      /** @description what the agent calls the session */
      nativeSessionId: string
      /** @description the event up to which it is current */
      sequence: number
      /**
       * Format: base64
       * @description the agent's own record of the session, for `nativeState` of a restore; what is in it is the agent's matter
       */
      data: string
    }
    /** @description What was decided. */
    ReplyPermissionRequest: {
      /** @description `always` holds for the rest of the session */
      reply: components["schemas"]["PermissionReply"]
      /** @description goes back to the agent, where it can be told */
      message?: string
    }
    /** @description The answers, one array for each part of the question. */
    ReplyQuestionRequest: {
      /** @description one array per question, of chosen labels or free text */
      answers: string[][]
    }
    /** @description Why nobody answers. */
    RejectQuestionRequest: {
      /** @description goes back to the agent, where it can be told */
      message?: string
    }
    /** @description A session as another daemon had it. */
    RestoreSessionRequest: {
      /** @description agent id, such as `claude` or `mock`; default: that of the daemon (`--default-agent`) */
      agent?: string
      /** @description what the agent does; default "build" */
      agentMode?: string
      /** @description what it may do without asking; default "default" */
      permissionMode?: components["schemas"]["PermissionMode"]
      /** @description as listed for the agent; default: the agent's own */
      model?: string
      /** @description effort of the model, as listed with it */
      variant?: string
      /** @description exact version of the agent; default: the one that is installed, else the newest */
      agentVersion?: string
      /** @description absolute; default: where the daemon runs */
      directory?: string
      /** @description for people */
      title?: string
      /** @description MCP servers by name, beside those of the directory */
      mcp?: {
        [key: string]: components["schemas"]["McpServer"]
      }
      /** @description skills, beside those of the directory */
      skills?: components["schemas"]["Skill"][]
      /** @description goes on top of the agent's own */
      systemPrompt?: string
      /** @description variables of the agent, over those it sees of the daemon; never returned */
      env?: {
        [key: string]: string
      }
      /** @description anything of yours; returned as it is */
      metadata?: components["schemas"]["Metadata"]
      /** @description what the agent called the session: it goes on with it where it still has it here, or `nativeState` brings it */
      nativeSessionId?: string
      /** @description what was said and done, in order, as `GET …/items` tells it; one that is not completed counts as failed */
      items: components["schemas"]["Item"][]
      /** @description as `plan.updated` told it last */
      plan?: components["schemas"]["PlanEntry"][]
      /** @description why its last turn failed, as `turn.ended` told it; the session tells it until its next turn */
      error?: components["schemas"]["TurnError"]
      /** @description what people decided, in order, as `permission.resolved` and `question.resolved` told it */
      decisions?: (components["schemas"]["Permission"] | components["schemas"]["Question"])[]
      /** @description bytes that `items` name as `blob`; an item whose bytes are not here names none */
      blobs?: {
        /** @description media type */
        mime: string
        /**
         * Format: base64
         * @description the bytes
         */
        data: string
      }[]
      /**
       * Format: base64
       * @description `data` of the session's native state, given with `nativeSessionId`
       */
      nativeState?: string
    }
    /** @description One step of a plan. */
    PlanEntry: {
      /** @description what is to be done */
      content: string
      /**
       * @description how far it is
       * @enum {string}
       */
      status: "pending" | "in_progress" | "completed"
      /** @description where the agent has one */
      priority?: string
    }
    /** @description Why a turn or a message failed. */
    TurnError: {
      /** @description one of the closed list of errors, one of `daemon_stopping`, `daemon_restarted`, `authentication_failed`, `rate_limited`, `usage_limit`, `billing_error`, `budget_exhausted`, `overloaded`, `server_error`, `connection_failed`, `model_not_found`, `prompt_too_long`, `policy_violation`, `sandbox_error`, `too_many_denials`, `during_execution`, `agent_error`, `unknown`, or the agent's own */
      code: components["schemas"]["ErrorCode"] | string
      /** @description what happened */
      message: string
      /** @description of the agent's process */
      exit_code?: number
      /** @description that ended the agent's process */
      signal?: string
      /** @description what the process wrote to stderr last */
      stderr?: components["schemas"]["Stderr"]
    }
    /** @description The session, and how its agent knows of it. */
    RestoredSession: components["schemas"]["CreatedSession"] & {
      /**
       * @description whether the agent remembers the session by itself, or is told of it in a brief
       * @enum {string}
       */
      context?: "native" | "rebuilt"
    }
    /** @description What a user says, with files and images. */
    PostMessageRequest: {
      /** @description what the user says; may be empty with attachments */
      message: string
      /** @description makes the call idempotent; with another body it is a conflict */
      messageId?: string
      /** @description files and images */
      attachments?: components["schemas"]["Attachment"][]
      /** @description "queue" (default) or "steer", into the running turn */
      delivery?: components["schemas"]["Delivery"]
    }
    /** @description A file or image: exactly one of `path`, `url` and `data`. */
    Attachment: {
      /** @description a file of the sandbox; relative to the session's directory */
      path?: string
      /** @description http or https; fetched by the daemon */
      url?: string
      /** @description the bytes in base64, or a `data:` address */
      data?: string
      /** @description media type; default: by its name */
      mime?: string
      /** @description what the agent sees it called */
      filename?: string
    }
    /** @description A message that was accepted. */
    PostedMessage: {
      /** @description yours, or made by the daemon */
      messageId: string
      /** @description the turn that will take it */
      turnId: string
      /** @description 0: next or running; n: messages in front */
      position: number
    }
    /** @description One line of a session's log; `type` says what `data` is. */
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
    /** @description A slash command that the agent takes as a message. */
    Command: {
      /** @description without the slash */
      name: string
      /** @description what it does */
      description?: string
      /** @description what may stand behind it */
      hint?: string
    }
    /**
     * @description Why a session ended.
     * @enum {string}
     */
    EndReason: "completed" | "error" | "terminated"
    /**
     * @description Who ended a session.
     * @enum {string}
     */
    EndedBy: "agent" | "daemon"
    /**
     * @description The fate of a message.
     * @enum {string}
     */
    MessageState: "queued" | "sending" | "taken" | "withdrawn" | "failed"
    /**
     * @description Why a turn ended.
     * @enum {string}
     */
    StopReason: "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | "error"
    /** @description Which part a delta belongs to. */
    DeltaPart: {
      /** @description place of the part in `content` */
      index: number
      /**
       * @description what it is a piece of
       * @enum {string}
       */
      type: "text" | "reasoning" | "arguments" | "output"
    }
    /** @description A program to be run to its end: `command` with `args`, or `shell`. */
    RunProcessRequest: {
      /** @description the program; found on PATH unless it has a slash */
      command?: string | null
      /** @description arguments of `command` */
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
    /**
     * @description How output is written.
     * @enum {string}
     */
    OutputEncoding: "utf8" | "base64"
    /** @description A program that was run to its end. */
    RanProcess: {
      /** @description null when a signal ended it */
      exitCode: number | null
      /** @description that ended it; null when it ended by itself */
      signal: string | null
      /** @description it took too long and was killed */
      timedOut: boolean
      /** @description how long it ran */
      durationMs: number
      /** @description what it wrote; of much the beginning and the end */
      stdout: string
      /** @description the same of its errors */
      stderr: string
      /** @description the middle was left out */
      stdoutTruncated: boolean
      /** @description the middle was left out */
      stderrTruncated: boolean
      /** @description all that it wrote */
      stdoutBytes: number
      /** @description all that it wrote there */
      stderrBytes: number
      /** @description what was left out, and where */
      stdoutOmitted?: components["schemas"]["OmittedOutput"]
      /** @description what was left out, and where */
      stderrOmitted?: components["schemas"]["OmittedOutput"]
      /** @description how both are written */
      encoding: components["schemas"]["OutputEncoding"]
    }
    /** @description The middle of an output that is not there. */
    OmittedOutput: {
      /** @description bytes before what was left out */
      offset: number
      /** @description how much */
      bytes: number
    }
    /** @description A piece of output. */
    ProcessLogEntry: {
      /** @description in the log of this process */
      sequence: number
      /** @description where it came from */
      stream: components["schemas"]["ProcessStream"]
      /** @description milliseconds since 1970 */
      timestampMs: number
      /** @description the bytes, in base64 */
      data: string
      /**
       * @description always `base64`
       * @constant
       */
      encoding: "base64"
    }
    /**
     * @description Where a piece of output came from.
     * @enum {string}
     */
    ProcessStream: "stdout" | "stderr" | "pty"
    /** @description The last event of a run. */
    ProcessExit: {
      /** @description null when a signal ended it */
      exitCode: number | null
      /** @description null when it ended by itself */
      signal: string | null
      /** @description it took too long and was killed */
      timedOut?: boolean
      /** @description how long it ran */
      durationMs?: number
    }
    /** @description Bounds of processes. */
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
      /** @description of one piece of input */
      maxInputBytesPerRequest: number
    }
    /** @description Bounds of processes, all of them. */
    ProcessConfigRequest: {
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
      /** @description of one piece of input */
      maxInputBytesPerRequest: number
    }
    /** @description A program to be started: `command` with `args`, or `shell`. */
    StartProcessRequest: {
      /** @description the program; found on PATH unless it has a slash */
      command?: string | null
      /** @description arguments of `command` */
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
    /** @description A program that a client started. */
    Process: {
      /** @description made by the daemon */
      id: string
      /** @description the program */
      command: string
      /** @description its arguments */
      args: string[]
      /** @description where it runs */
      cwd: string
      /** @description it has a terminal in place of pipes */
      tty: boolean
      /** @description as the client gave it */
      interactive: boolean
      /** @description who started it */
      owner: components["schemas"]["ProcessOwner"]
      /** @description the session it was started for */
      sessionId?: string
      /**
       * @description whether it runs
       * @enum {string}
       */
      status: "running" | "exited"
      /** @description while it runs */
      pid?: number
      /** @description of one that ended by itself */
      exitCode?: number
      /** @description that ended it */
      signal?: string
      /** @description why it is no longer running */
      reason?: components["schemas"]["ProcessEndReason"]
      /** @description milliseconds since 1970 */
      createdAtMs: number
      /** @description milliseconds since 1970 */
      exitedAtMs?: number
      /** @description TCP ports that it listens on, itself or by what it started (Linux) */
      ports: components["schemas"]["ProcessPort"][]
      /** @description of its terminal */
      cols?: number
      /** @description of its terminal */
      rows?: number
      /** @description that its program gave its terminal */
      title?: string
      /** @description how many look at its terminal */
      viewers?: number
      /** @description of its log, as far as that is kept */
      firstSequence?: number
      /** @description of its log */
      lastSequence?: number
    }
    /**
     * @description Who started a process.
     * @enum {string}
     */
    ProcessOwner: "user" | "desktop" | "system"
    /**
     * @description Why a process is no longer running.
     * @enum {string}
     */
    ProcessEndReason: "exited" | "signal" | "daemon_stopped" | "daemon_killed"
    /** @description A TCP port that a process listens on. */
    ProcessPort: {
      /** @description its number */
      port: number
      /** @description `0.0.0.0` and `::` are all of the machine's */
      address: string
    }
    /**
     * @description Which output is meant.
     * @enum {string}
     */
    ProcessLogsStream: "stdout" | "stderr" | "combined" | "pty"
    /** @description Output of a process. */
    ProcessLogs: {
      /** @description id of the process */
      processId: string
      /** @description which output it is */
      stream: components["schemas"]["ProcessLogsStream"]
      /** @description what came before is no longer kept */
      firstSequence: number
      /** @description of its log */
      lastSequence: number
      /** @description in the order they came */
      entries: components["schemas"]["ProcessLogEntry"][]
    }
    /** @description A port was opened or closed. */
    ProcessPortEvent: {
      /** @description its number */
      port: number
      /** @description `0.0.0.0` and `::` are all of the machine's */
      address: string
      /** @description in the log of this process */
      sequence: number
      /** @description milliseconds since 1970 */
      timestampMs: number
      /**
       * @description what became of it
       * @enum {string}
       */
      state: "open" | "closed"
    }
    /** @description What came before is no longer kept. */
    ProcessGap: {
      /** @description where it goes on: what came before is no longer kept */
      firstSequence: number
    }
    /** @description The last event of a process. */
    ProcessEnd: {
      /** @description of one that ended by itself */
      exitCode?: number
      /** @description that ended it */
      signal?: string
      /** @description why it is no longer running */
      reason: components["schemas"]["ProcessEndReason"]
    }
    /** @description A piece of input, its end, or both. */
    ProcessInputRequest: {
      /** @description what is written to its input */
      data?: string | null
      /** @description how `data` is written; default "base64" */
      encoding?: ("base64" | "utf8" | "text") | null
      /** @description its input ends after this */
      end?: boolean | null
    }
    /** @description Input that was taken. */
    WrittenInput: {
      /** @description how much */
      bytesWritten: number
    }
    /** @description A signal by its name. */
    ProcessSignalRequest: {
      /**
       * @description sent to its whole group
       * @enum {string}
       */
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
    /** @description A terminal; without a program it is the user's shell. */
    StartTerminalRequest: {
      /** @description the program; found on PATH unless it has a slash */
      command?: string | null
      /** @description arguments of `command` */
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
    /** @description The new size, for all who look. */
    TerminalSizeRequest: {
      /** @description columns */
      cols: number
      /** @description rows */
      rows: number
    }
    /** @description The size of a terminal. */
    TerminalSize: {
      /** @description as they are now */
      cols: number
      /** @description as they are now */
      rows: number
    }
    /** @description What opens one WebSocket. */
    TerminalTicket: {
      /** @description opens this terminal once, as `?ticket=` */
      ticket: string
      /** @description milliseconds since 1970 */
      expiresAtMs: number
    }
    /** @description A file or folder. */
    FileEntry: {
      /** @description its last part */
      name: string
      /** @description absolute */
      path: string
      /** @description its `file:` address, where its path is no UTF-8 text; taken wherever a path is */
      uri?: string
      /** @description of what a link leads to, if that is there and may be looked at */
      entryType: components["schemas"]["EntryType"]
      /** @description in bytes */
      size: number
      /** @description RFC 3339 */
      modified: string
      /** @description octal digits */
      mode: string
      /**
       * @description what it is, if it is neither file nor folder; it is not opened
       * @enum {string}
       */
      special?: "fifo" | "socket" | "device"
      /** @description where it points, of a symbolic link */
      symlink?: string
    }
    /**
     * @description File or folder.
     * @enum {string}
     */
    EntryType: "file" | "directory"
    /** @description What the system knows of a file or folder. */
    FileStat: {
      /** @description absolute */
      path: string
      /** @description its `file:` address, where its path is no UTF-8 text; taken wherever a path is */
      uri?: string
      /** @description of what a link leads to, if that is there and may be looked at */
      entryType: components["schemas"]["EntryType"]
      /** @description in bytes */
      size: number
      /** @description RFC 3339 */
      modified: string
      /** @description octal digits */
      mode: string
      /**
       * @description what it is, if it is neither file nor folder; it is not opened
       * @enum {string}
       */
      special?: "fifo" | "socket" | "device"
      /** @description where it points, of a symbolic link */
      symlink?: string
      /** @description with all links followed */
      realPath: string
      /** @description of its owner */
      uid: number
      /** @description of its group */
      gid: number
      /** @description names of this file, hard links included */
      links: number
      /** @description as GET of the file answers it */
      etag?: string
    }
    /** @description A file that was written. */
    WrittenFile: {
      /** @description of the file */
      path: string
      /** @description its size */
      bytesWritten: number
      /** @description there was none before */
      created: boolean
      /** @description for `If-Match` */
      etag: string
    }
    /** @description What came out of an archive. */
    UploadedFiles: {
      /** @description of what was made, the first thousand */
      paths: string[]
      /** @description there are more than `paths` names */
      truncated: boolean
      /** @description how many files */
      files: number
      /** @description how many folders */
      directories: number
      /** @description how many links */
      links: number
      /** @description of all files */
      bytes: number
      /** @description what was left out and why, the first thousand */
      skipped: components["schemas"]["SkippedFile"][]
      /** @description how many were left out */
      skippedCount: number
    }
    /** @description What was left out. */
    SkippedFile: {
      /** @description of the entry */
      path: string
      /** @description why */
      reason: string
    }
    /** @description Something changed in a folder that is watched. */
    FileChange: {
      /**
       * @description `ready`: from now on everything is told; `resync`: something was missed, look again
       * @enum {string}
       */
      type: "ready" | "created" | "modified" | "deleted" | "moved" | "resync"
      /** @description of what changed */
      path?: string
      /** @description of a path that is no UTF-8 text */
      uri?: string
      /** @description what it is */
      entryType?: components["schemas"]["EntryType"]
      /** @description where it was, of what was moved */
      from?: string
      /** @description of `from`, where that is no UTF-8 text */
      fromUri?: string
    }
    /** @description One event of a search. */
    SearchEvent:
      | components["schemas"]["SearchMatch"]
      | components["schemas"]["SearchName"]
      | components["schemas"]["SearchDone"]
    /** @description A line that was found. */
    SearchMatch: {
      /**
       * @description always `match` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "match"
      /** @description of the file */
      path: string
      /** @description of a path that is no UTF-8 text */
      uri?: string
      /** @description counted from 1 */
      line: number
      /** @description counted from 1, in UTF-16 units, as editors do */
      column: number
      /** @description the line, cut after a thousand characters */
      text: string
      /** @description lines before it, as `context` asks */
      before?: string[]
      /** @description lines behind it, as `context` asks */
      after?: string[]
    }
    /** @description A file that was found by its name. */
    SearchName: {
      /**
       * @description always `name` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "name"
      /** @description of the file */
      path: string
      /** @description of a path that is no UTF-8 text */
      uri?: string
      /** @description what it is */
      entryType: components["schemas"]["EntryType"]
      /** @description the best come first */
      score: number
    }
    /** @description The search has ended; a stream without it was cut off. */
    SearchDone: {
      /**
       * @description always `done` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "done"
      /** @description looked at */
      files: number
      /** @description how many */
      matches: number
      /** @description files that were too large to be searched */
      large: number
      /** @description there are more */
      truncated: boolean
    }
    /** @description What was done to it, it is here. */
    NamedFile: {
      /** @description absolute */
      path: string
    }
    /** @description What to move, and where. */
    MoveFileRequest: {
      /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
      from: string
      /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
      to: string
      /** @description replace what is there; without it that is refused */
      overwrite?: boolean | null
      /** @description relative paths begin in its directory */
      sessionId?: string
    }
    /** @description What was moved. */
    MovedFile: {
      /** @description where it was */
      from: string
      /** @description where it is */
      to: string
    }
    /** @description What to copy, and where. */
    CopyFileRequest: {
      /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
      from: string
      /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
      to: string
      /** @description replace a file that is there; without it that is refused */
      overwrite?: boolean | null
      /** @description needed for a folder */
      recursive?: boolean
      /** @description relative paths begin in its directory */
      sessionId?: string
    }
    /** @description What was copied. */
    CopiedFiles: {
      /** @description the original */
      from: string
      /** @description the copy */
      to: string
      /** @description how many */
      files: number
      /** @description of them all */
      bytes: number
      /** @description pipes, sockets and devices; the first thousand */
      skipped: components["schemas"]["SkippedFile"][]
    }
    /** @description The new mode of a file or folder. */
    ChangeModeRequest: {
      /** @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry */
      path: string
      /** @description octal digits, such as 0755 */
      mode: string
      /** @description the folder and everything in it */
      recursive?: boolean
      /** @description relative paths begin in its directory */
      sessionId?: string
    }
    /** @description An MCP server of a directory. */
    McpServerConfig: components["schemas"]["LocalMcpServer"] | components["schemas"]["RemoteMcpServer"]
    /** @description A program that the agent starts; values of variables are hidden. */
    LocalMcpServer: {
      /**
       * @description always `local` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "local"
      /** @description the program */
      command: string
      /** @description its arguments */
      args?: string[]
      /** @description where it runs */
      cwd?: string | null
      /** @description each value is `********` */
      env?: {
        [key: string]: string
      } | null
      /** @description false keeps it out of sessions */
      enabled?: boolean | null
      /** @description how long it may take to start */
      timeoutMs?: number | null
      /** @description only for sessions of these agents */
      agents?: string[] | null
    }
    /** @description A server at an address; values of headers are hidden. */
    RemoteMcpServer: {
      /**
       * @description always `remote` (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "remote"
      /** @description its address */
      url: string
      /** @description `http` or `sse` */
      transport?: string | null
      /** @description each value is `********` */
      headers?: {
        [key: string]: string
      } | null
      /** @description names of variables */
      envHeaders?: {
        [key: string]: string
      } | null
      /** @description the variable that holds its token */
      bearerTokenEnvVar?: string | null
      /** @description always null */
      oauth?: null
      /** @description false keeps it out of sessions */
      enabled?: boolean | null
      /** @description how long it may take to start */
      timeoutMs?: number | null
      /** @description only for sessions of these agents */
      agents?: string[] | null
    }
    /** @description The MCP servers of a directory. */
    McpServerList: {
      /** @description by name */
      servers: {
        /** @description in sessions */
        name: string
        /** @description as it was given, secrets hidden */
        config: components["schemas"]["McpServerConfig"]
      }[]
    }
    /** @description An MCP server for a directory. */
    McpConfigRequest: components["schemas"]["LocalMcpConfigRequest"] | components["schemas"]["RemoteMcpConfigRequest"]
    /** @description A program that the agent starts. */
    LocalMcpConfigRequest: {
      /**
       * @description a program that the agent starts (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "local"
      /** @description found on PATH unless it has a slash */
      command: string
      /** @description its arguments */
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
    /** @description A server at an address. */
    RemoteMcpConfigRequest: {
      /**
       * @description a server at an address (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "remote"
      /**
       * Format: uri
       * @description http or https, without a login in it
       */
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
    /** @description An entry of skills of a directory. */
    SkillsConfig: {
      /** @description where they come from */
      sources: components["schemas"]["SkillSource"][]
      /** @description only for sessions of these agents */
      agents?: string[] | null
    }
    /** @description Where skills come from. */
    SkillSource: {
      /** @description `local`, `git`, `github` or `inline` */
      type: string
      /** @description the folder, the address, owner/name, or the name of the skill */
      source: string
      /** @description branch, tag or commit */
      ref?: string | null
      /** @description where in the source to look */
      subpath?: string | null
      /** @description only these */
      skills?: string[] | null
      /** @description of an inline skill: texts by path */
      files?: {
        [key: string]: string
      } | null
    }
    /** @description The entries of skills of a directory. */
    SkillsList: {
      /** @description by name */
      entries: {
        /** @description of the entry */
        name: string
        /** @description as it was given */
        config: components["schemas"]["SkillsConfig"]
      }[]
    }
    /** @description Skills for a directory. */
    SkillsConfigRequest: {
      /** @description where the skills are looked for */
      sources: components["schemas"]["SkillSourceRequest"][]
      /** @description only for sessions of these agents; default: of all */
      agents?: string[] | null
    }
    /** @description Where skills come from. */
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
    /** @description RFC 7807, the body of every error. Context stands beside the standard fields. */
    Problem: {
      /** @description urn:sandbox-agent:error:<code> */
      type: string
      /** @description the error in a few words, the same for every error of this type */
      title: string
      /** @description of the HTTP answer */
      status: number
      /** @description what happened this time */
      detail: string
      /** @description of this request; in the daemon's log with faults of its own */
      requestId?: string
      /** @description what to do about it */
      hint?: string
      /** @description id of the agent it is about */
      agent?: string
      /** @description id of the session it is about */
      sessionId?: string
      /** @description of a process that ended */
      exitCode?: number
      /** @description what the process wrote to stderr last */
      stderr?: components["schemas"]["Stderr"]
    }
    /** @description What every event has around its type and data. */
    EventEnvelope: {
      /** @description the same for every reader */
      event_id: string
      /** @description starts at 1, no gaps */
      sequence: number
      /** @description RFC 3339, never going back */
      time: string
      /** @description id of the session */
      session_id: string
      /** @description the agent's own id of the conversation, once it is known */
      native_session_id?: string
      /**
       * @description who said it
       * @enum {string}
       */
      source: "agent" | "daemon"
      /** @description true exactly when the source is the daemon */
      synthetic: boolean
      /** @description from before a fork, a restore or an adoption */
      replayed?: boolean
      /** @description the native line; only with include_raw=true */
      raw?: components["schemas"]["JsonValue"]
    }
    /** @description The session exists. Logged at create, and again when it is resumed. */
    SessionStartedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `session.started`
       * @constant
       */
      type: "session.started"
      /** @description what happened */
      data: {
        /** @description of the client */
        metadata?: components["schemas"]["Metadata"]
        /** @description it was ended and was brought back */
        resumed?: boolean
        /** @description the session it is a fork of */
        forked_from?: string
        /** @description the agent had it already */
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
    /** @description Something about the session changed, and is in force. Only what changed is there. */
    SessionUpdatedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `session.updated`
       * @constant
       */
      type: "session.updated"
      /** @description what happened */
      data: {
        /** @description its title */
        title?: string
        /** @description its agent mode */
        agent_mode?: string
        /** @description its permission mode */
        permission_mode?: components["schemas"]["PermissionMode"]
        /** @description its model */
        model?: string
        /** @description effort of its model */
        variant?: string
        /** @description slash commands that the agent takes */
        commands?: components["schemas"]["Command"][]
        /** @description what it does now */
        status?: components["schemas"]["SessionStatus"]
        /** @description the agent's own id of the conversation */
        native_session_id?: string
        /**
         * @description the agent begins a new native session and is told of this one in a brief made from the log
         * @constant
         */
        context?: "rebuilt"
        /** @description why the context was rebuilt */
        reason?: string
        /** @description whether the agent's process runs */
        agent_process?: components["schemas"]["AgentProcessState"]
        /** @description pieces of work that go on after their turn */
        background?: number
        /** @description of the client */
        metadata?: components["schemas"]["Metadata"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.updated"
    }
    /** @description The session has ended: terminated, deleted, or by the agent itself. Never by the agent's death. */
    SessionEndedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `session.ended`
       * @constant
       */
      type: "session.ended"
      /** @description what happened */
      data: {
        /** @description why */
        reason: components["schemas"]["EndReason"]
        /** @description who ended it */
        terminated_by: components["schemas"]["EndedBy"]
        /** @description of an error */
        message?: string
        /** @description of the agent's process */
        exit_code?: number
        /** @description what the agent wrote to stderr last */
        stderr?: components["schemas"]["Stderr"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.ended"
    }
    /** @description The fate of a message: queued, sending, taken, withdrawn or failed. */
    MessageUpdatedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `message.updated`
       * @constant
       */
      type: "message.updated"
      /** @description what happened */
      data: {
        /** @description id of the message */
        message_id: string
        /** @description its fate so far */
        state: components["schemas"]["MessageState"]
        /** @description whether it waits for its turn or goes into the one that runs */
        delivery: components["schemas"]["Delivery"]
        /** @description in the queue; 0 is next */
        position?: number
        /** @description the turn that takes it */
        turn_id?: string
        /** @description why it failed */
        error?: components["schemas"]["TurnError"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "message.updated"
    }
    /** @description The agent begins to work. */
    TurnStartedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `turn.started`
       * @constant
       */
      type: "turn.started"
      /** @description what happened */
      data: {
        /**
         * @description always `started`
         * @constant
         */
        phase: "started"
        /** @description id of the turn */
        turn_id: string
        /**
         * @description what began it: a message, the agent by itself, or a command of the client
         * @enum {string}
         */
        origin: "message" | "agent" | "command"
        /** @description messages that it takes */
        message_ids: string[]
        /** @description more of the agent's */
        metadata?: components["schemas"]["Metadata"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "turn.started"
    }
    /** @description The agent is idle again. Every turn that started ends. */
    TurnEndedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `turn.ended`
       * @constant
       */
      type: "turn.ended"
      /** @description what happened */
      data: {
        /**
         * @description always `ended`
         * @constant
         */
        phase: "ended"
        /** @description id of the turn */
        turn_id: string
        /** @description messages that it took */
        message_ids: string[]
        /** @description why it ended */
        stop_reason: components["schemas"]["StopReason"]
        /** @description of a turn that failed */
        error?: components["schemas"]["TurnError"]
        /** @description the agent did not confirm the interrupt, and was stopped */
        forced?: boolean
        /** @description of this turn */
        usage?: components["schemas"]["Usage"]
        /** @description of this turn */
        cost_usd?: number
        /** @description more of the agent's */
        metadata?: components["schemas"]["Metadata"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "turn.ended"
    }
    /** @description A block of the transcript begins. */
    ItemStartedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `item.started`
       * @constant
       */
      type: "item.started"
      /** @description what happened */
      data: {
        /** @description the item as it is now */
        item: components["schemas"]["Item"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "item.started"
    }
    /** @description A piece of an item's text. Append it, or begin again at `reset`. */
    ItemDeltaEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `item.delta`
       * @constant
       */
      type: "item.delta"
      /** @description what happened */
      data: {
        /** @description of the item */
        item_id: string
        /** @description the agent's own id */
        native_item_id?: string
        /** @description the piece */
        delta: string
        /** @description which part it belongs to */
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
    /** @description A block is whole. This is the truth, whatever deltas said. */
    ItemCompletedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `item.completed`
       * @constant
       */
      type: "item.completed"
      /** @description what happened */
      data: {
        /** @description the item as it is now */
        item: components["schemas"]["Item"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "item.completed"
    }
    /** @description The agent asks whether it may do something, and its turn waits. */
    PermissionRequestedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `permission.requested`
       * @constant
       */
      type: "permission.requested"
      /** @description what happened */
      data: components["schemas"]["Permission"]
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "permission.requested"
    }
    /** @description A permission was decided, by whomever. */
    PermissionResolvedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `permission.resolved`
       * @constant
       */
      type: "permission.resolved"
      /** @description what happened */
      data: components["schemas"]["Permission"]
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "permission.resolved"
    }
    /** @description The agent asks a person, and its turn waits. */
    QuestionRequestedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `question.requested`
       * @constant
       */
      type: "question.requested"
      /** @description what happened */
      data: components["schemas"]["Question"]
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "question.requested"
    }
    /** @description A question was answered, rejected or cancelled. */
    QuestionResolvedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `question.resolved`
       * @constant
       */
      type: "question.resolved"
      /** @description what happened */
      data: components["schemas"]["Question"]
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "question.resolved"
    }
    /** @description The agent's plan, whole. */
    PlanUpdatedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `plan.updated`
       * @constant
       */
      type: "plan.updated"
      /** @description what happened */
      data: {
        /** @description its steps, in order */
        entries: components["schemas"]["PlanEntry"][]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "plan.updated"
    }
    /** @description Tokens and cost of the session so far. */
    UsageUpdatedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `usage.updated`
       * @constant
       */
      type: "usage.updated"
      /** @description what happened */
      data: components["schemas"]["Usage"]
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "usage.updated"
    }
    /** @description Something failed that is not the end of a turn. */
    ErrorEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `error`
       * @constant
       */
      type: "error"
      /** @description what happened */
      data: {
        /** @description what happened */
        message: string
        /** @description of the closed list, or the agent's own */
        code?: string
        /** @description more about it */
        details?: components["schemas"]["JsonValue"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "error"
    }
    /** @description A line of the agent that is not its protocol; `raw` has it, unless it may be of another session. */
    AgentUnparsedEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `agent.unparsed`
       * @constant
       */
      type: "agent.unparsed"
      /** @description what happened */
      data: {
        /** @description what is wrong with it */
        error: string
        /** @description where it came from */
        location: string
        /** @description of a line that was cut */
        raw_hash?: string
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "agent.unparsed"
    }
    /** @description A line of the agent without universal meaning, kept in order. */
    AgentNativeEvent: components["schemas"]["EventEnvelope"] & {
      /**
       * @description always `agent.native`
       * @constant
       */
      type: "agent.native"
      /** @description what happened */
      data: {
        /** @description of the line */
        method: string
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "agent.native"
    }
    /** @description What every event of the log of all sessions has. */
    GlobalEventEnvelope: {
      /** @description the same for every reader */
      event_id: string
      /** @description of the log of all sessions; no gaps */
      sequence: number
      /** @description RFC 3339, never going back */
      time: string
      /** @description the session it is about */
      session_id: string
    }
    /** @description A session was created. */
    GlobalSessionCreatedEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /**
       * @description always `session.created`
       * @constant
       */
      type: "session.created"
      /** @description what happened */
      data: {
        /** @description id of its agent */
        agent: string
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.created"
    }
    /** @description The status of a session changed. */
    GlobalSessionStatusEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /**
       * @description always `session.status`
       * @constant
       */
      type: "session.status"
      /** @description what happened */
      data: {
        /** @description what it does now */
        status: components["schemas"]["SessionStatus"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.status"
    }
    /** @description Something else that lists of sessions show has changed. */
    GlobalSessionUpdatedEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /**
       * @description always `session.updated`
       * @constant
       */
      type: "session.updated"
      /** @description what happened */
      data: {
        /** @description what is to be read from the session itself */
        changed?: ("title" | "metadata")[]
        /** @description how many messages wait in its queue */
        queued?: number
        /** @description how many tasks its agent has in the background */
        background?: number
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.updated"
    }
    /** @description What waits for a person changed. */
    GlobalSessionPendingEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /**
       * @description always `session.pending`
       * @constant
       */
      type: "session.pending"
      /** @description what happened */
      data: {
        /** @description how many permissions wait */
        permissions: number
        /** @description how many questions wait */
        questions: number
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.pending"
    }
    /** @description A session has ended. */
    GlobalSessionEndedEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /**
       * @description always `session.ended`
       * @constant
       */
      type: "session.ended"
      /** @description what happened */
      data: {
        /** @description why */
        reason: components["schemas"]["EndReason"]
        /** @description who ended it */
        terminated_by: components["schemas"]["EndedBy"]
      }
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.ended"
    }
    /** @description A session was deleted with its log. */
    GlobalSessionDeletedEvent: components["schemas"]["GlobalEventEnvelope"] & {
      /**
       * @description always `session.deleted`
       * @constant
       */
      type: "session.deleted"
      /** @description what happened */
      data: Record<string, never>
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: "session.deleted"
    }
    /** @description One line of the log of all sessions. */
    GlobalEvent:
      | components["schemas"]["GlobalSessionCreatedEvent"]
      | components["schemas"]["GlobalSessionStatusEvent"]
      | components["schemas"]["GlobalSessionUpdatedEvent"]
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
          /**
           * @example {
           *       "status": "ok",
           *       "version": "0.1.0",
           *       "uptimeMs": 5120
           *     }
           */
          "application/json": components["schemas"]["Health"]
        }
      }
    }
  }
  streamGlobalEvents: {
    parameters: {
      query?: {
        /**
         * @description last seen sequence, exclusive
         * @example 0
         */
        offset?: number
      }
      header?: {
        /**
         * @description last seen sequence; wins over `offset`
         * @example 12
         */
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
          /**
           * @example {
           *       "event_id": "evt_1_401",
           *       "sequence": 401,
           *       "time": "2026-11-15T03:16:07.802Z",
           *       "session_id": "demo",
           *       "type": "session.created",
           *       "data": {
           *         "agent": "claude"
           *       }
           *     }
           */
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
          /**
           * @example {
           *       "openapi": "text"
           *     }
           */
          "application/json": {
            /** @description version of OpenAPI */
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
          /** @example the bytes */
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
          /** @example the bytes */
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
          /**
           * @example {
           *       "ticket": "PUfghPghY6PpAgnX6V6b0Itk-2jtKmQ1",
           *       "expiresAtMs": 1794778434206
           *     }
           */
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
        /**
         * @example {
         *       "ticket": "PUfghPghY6PpAgnX6V6b0Itk-2jtKmQ1"
         *     }
         */
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
          /**
           * @example {
           *       "token": "the token of the daemon"
           *     }
           */
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
          /**
           * @example {
           *       "agents": [
           *         {
           *           "id": "claude",
           *           "name": "Claude Code",
           *           "stability": "stable",
           *           "installed": true,
           *           "version": "2.1.325",
           *           "path": "/data/bin/claude/2.1.325/claude",
           *           "source": "managed",
           *           "credentialsAvailable": true,
           *           "credentials": "available",
           *           "capabilities": {
           *             "textMessages": true,
           *             "toolCalls": true,
           *             "toolResults": true,
           *             "streamingDeltas": true,
           *             "itemStarted": true,
           *             "reasoning": true,
           *             "images": true,
           *             "fileAttachments": true,
           *             "permissions": true,
           *             "questions": true,
           *             "planApproval": true,
           *             "sessionLifecycle": true,
           *             "errorEvents": true,
           *             "status": true,
           *             "commandExecution": true,
           *             "fileChanges": true,
           *             "mcpTools": true,
           *             "variants": true,
           *             "sharedProcess": false,
           *             "modes": true,
           *             "models": true,
           *             "interrupt": true,
           *             "steer": true,
           *             "resume": true,
           *             "fork": true,
           *             "subagents": true,
           *             "plans": true,
           *             "usage": true
           *           },
           *           "process": {
           *             "status": "running",
           *             "pid": 4242,
           *             "uptimeMs": 61000,
           *             "rssBytes": 268435456,
           *             "restartCount": 0
           *           }
           *         }
           *       ]
           *     }
           */
          "application/json": {
            /** @description all there are */
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
        /**
         * @description agent id, such as `claude` or `mock`
         * @example mock
         */
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
          /**
           * @example {
           *       "id": "claude",
           *       "name": "Claude Code",
           *       "stability": "stable",
           *       "installed": true,
           *       "version": "2.1.325",
           *       "path": "/data/bin/claude/2.1.325/claude",
           *       "source": "managed",
           *       "credentialsAvailable": true,
           *       "credentials": "available",
           *       "capabilities": {
           *         "textMessages": true,
           *         "toolCalls": true,
           *         "toolResults": true,
           *         "streamingDeltas": true,
           *         "itemStarted": true,
           *         "reasoning": true,
           *         "images": true,
           *         "fileAttachments": true,
           *         "permissions": true,
           *         "questions": true,
           *         "planApproval": true,
           *         "sessionLifecycle": true,
           *         "errorEvents": true,
           *         "status": true,
           *         "commandExecution": true,
           *         "fileChanges": true,
           *         "mcpTools": true,
           *         "variants": true,
           *         "sharedProcess": false,
           *         "modes": true,
           *         "models": true,
           *         "interrupt": true,
           *         "steer": true,
           *         "resume": true,
           *         "fork": true,
           *         "subagents": true,
           *         "plans": true,
           *         "usage": true
           *       },
           *       "process": {
           *         "status": "running",
           *         "pid": 4242,
           *         "uptimeMs": 61000,
           *         "rssBytes": 268435456,
           *         "restartCount": 0
           *       }
           *     }
           */
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
        /**
         * @description agent id, such as `claude` or `mock`
         * @example mock
         */
        agent: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        /** @example {} */
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
          /**
           * @example {
           *       "installed": true,
           *       "version": "2.1.325",
           *       "path": "/data/bin/claude/2.1.325/claude"
           *     }
           */
          "application/json": components["schemas"]["InstallResult"]
          /**
           * @example {
           *       "type": "install.progress",
           *       "phase": "download",
           *       "bytes": 1048576,
           *       "total": 98304000
           *     }
           */
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
        /**
         * @description agent id, such as `claude` or `mock`
         * @example mock
         */
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
          /**
           * @example {
           *       "modes": [
           *         {
           *           "id": "build",
           *           "name": "Build"
           *         }
           *       ]
           *     }
           */
          "application/json": {
            /** @description that can be chosen */
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
        /**
         * @description agent id, such as `claude` or `mock`
         * @example mock
         */
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
          /**
           * @example {
           *       "models": [
           *         {
           *           "id": "opus",
           *           "name": "Opus",
           *           "variants": [
           *             "low",
           *             "medium",
           *             "high"
           *           ],
           *           "defaultVariant": "medium"
           *         }
           *       ],
           *       "defaultModel": "text"
           *     }
           */
          "application/json": {
            /** @description that can be chosen */
            models: components["schemas"]["Model"][]
            /** @description the one that is used when none is named */
            defaultModel?: string
          }
        }
      }
    }
  }
  listSessions: {
    parameters: {
      query?: {
        /**
         * @description sessions of a page; default 50
         * @example 50
         */
        limit?: number
        /**
         * @description `nextCursor` of the page before
         * @example 41
         */
        cursor?: string
        /**
         * @description only those of this agent
         * @example mock
         */
        agent?: string
        /**
         * @description only those that are this
         * @example installing
         */
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
          /**
           * @example {
           *       "sessions": [
           *         {
           *           "id": "demo",
           *           "agent": "claude",
           *           "agentVersion": "2.1.325",
           *           "agentMode": "build",
           *           "permissionMode": "default",
           *           "directory": "/workspace",
           *           "title": "Fix the failing test",
           *           "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *           "status": "idle",
           *           "agentProcess": "live",
           *           "background": 0,
           *           "queue": [],
           *           "pending": {
           *             "permissions": 0,
           *             "questions": 0
           *           },
           *           "firstSequence": 1,
           *           "lastSequence": 42,
           *           "usage": {
           *             "input_tokens": 1840,
           *             "output_tokens": 212,
           *             "cached_tokens": 1536,
           *             "cost_usd": 0.0091
           *           },
           *           "createdAt": "2026-11-15T03:16:07.802Z",
           *           "updatedAt": "2026-11-15T03:17:31.090Z",
           *           "metadata": {
           *             "team": "payments"
           *           }
           *         }
           *       ]
           *     }
           */
          "application/json": {
            /** @description newest first */
            sessions: components["schemas"]["Session"][]
            /** @description `cursor` of the next page; absent on the last */
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
        /**
         * @example {
         *       "agent": "mock"
         *     }
         */
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
          /**
           * @example {
           *       "healthy": true,
           *       "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *       "session": {
           *         "id": "demo",
           *         "agent": "claude",
           *         "agentVersion": "2.1.325",
           *         "agentMode": "build",
           *         "permissionMode": "default",
           *         "directory": "/workspace",
           *         "title": "Fix the failing test",
           *         "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *         "status": "idle",
           *         "agentProcess": "live",
           *         "background": 0,
           *         "queue": [],
           *         "pending": {
           *           "permissions": 0,
           *           "questions": 0
           *         },
           *         "firstSequence": 1,
           *         "lastSequence": 42,
           *         "usage": {
           *           "input_tokens": 1840,
           *           "output_tokens": 212,
           *           "cached_tokens": 1536,
           *           "cost_usd": 0.0091
           *         },
           *         "createdAt": "2026-11-15T03:16:07.802Z",
           *         "updatedAt": "2026-11-15T03:17:31.090Z",
           *         "metadata": {
           *           "team": "payments"
           *         }
           *       }
           *     }
           */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
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
          /**
           * @example {
           *       "id": "demo",
           *       "agent": "claude",
           *       "agentVersion": "2.1.325",
           *       "agentMode": "build",
           *       "permissionMode": "default",
           *       "directory": "/workspace",
           *       "title": "Fix the failing test",
           *       "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *       "status": "idle",
           *       "agentProcess": "live",
           *       "background": 0,
           *       "queue": [],
           *       "pending": {
           *         "permissions": 0,
           *         "questions": 0
           *       },
           *       "firstSequence": 1,
           *       "lastSequence": 42,
           *       "usage": {
           *         "input_tokens": 1840,
           *         "output_tokens": 212,
           *         "cached_tokens": 1536,
           *         "cost_usd": 0.0091
           *       },
           *       "createdAt": "2026-11-15T03:16:07.802Z",
           *       "updatedAt": "2026-11-15T03:17:31.090Z",
           *       "metadata": {
           *         "team": "payments"
           *       }
           *     }
           */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "agent": "mock"
         *     }
         */
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
          /**
           * @example {
           *       "healthy": true,
           *       "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *       "session": {
           *         "id": "demo",
           *         "agent": "claude",
           *         "agentVersion": "2.1.325",
           *         "agentMode": "build",
           *         "permissionMode": "default",
           *         "directory": "/workspace",
           *         "title": "Fix the failing test",
           *         "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *         "status": "idle",
           *         "agentProcess": "live",
           *         "background": 0,
           *         "queue": [],
           *         "pending": {
           *           "permissions": 0,
           *           "questions": 0
           *         },
           *         "firstSequence": 1,
           *         "lastSequence": 42,
           *         "usage": {
           *           "input_tokens": 1840,
           *           "output_tokens": 212,
           *           "cached_tokens": 1536,
           *           "cost_usd": 0.0091
           *         },
           *         "createdAt": "2026-11-15T03:16:07.802Z",
           *         "updatedAt": "2026-11-15T03:17:31.090Z",
           *         "metadata": {
           *           "team": "payments"
           *         }
           *       }
           *     }
           */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
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
          /**
           * @example {
           *       "deleted": true
           *     }
           */
          "application/json": {
            /**
             * @description always true
             * @constant
             */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "permissionMode": "acceptEdits"
         *     }
         */
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
          /**
           * @example {
           *       "session": {
           *         "id": "demo",
           *         "agent": "claude",
           *         "agentVersion": "2.1.325",
           *         "agentMode": "build",
           *         "permissionMode": "acceptEdits",
           *         "directory": "/workspace",
           *         "title": "Fix the failing test",
           *         "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *         "status": "idle",
           *         "agentProcess": "live",
           *         "background": 0,
           *         "queue": [],
           *         "pending": {
           *           "permissions": 0,
           *           "questions": 0
           *         },
           *         "firstSequence": 1,
           *         "lastSequence": 42,
           *         "usage": {
           *           "input_tokens": 1840,
           *           "output_tokens": 212,
           *           "cached_tokens": 1536,
           *           "cost_usd": 0.0091
           *         },
           *         "createdAt": "2026-11-15T03:16:07.802Z",
           *         "updatedAt": "2026-11-15T03:17:31.090Z",
           *         "metadata": {
           *           "team": "payments"
           *         }
           *       },
           *       "applied": "now"
           *     }
           */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        /** @example {} */
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
          /**
           * @example {
           *       "ended": true,
           *       "turnId": "turn_1",
           *       "withdrawn": []
           *     }
           */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        /** @example {} */
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
          /**
           * @example {
           *       "session": {
           *         "id": "demo",
           *         "agent": "claude",
           *         "agentVersion": "2.1.325",
           *         "agentMode": "build",
           *         "permissionMode": "default",
           *         "directory": "/workspace",
           *         "title": "Fix the failing test",
           *         "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *         "status": "idle",
           *         "agentProcess": "live",
           *         "background": 0,
           *         "queue": [],
           *         "pending": {
           *           "permissions": 0,
           *           "questions": 0
           *         },
           *         "firstSequence": 1,
           *         "lastSequence": 42,
           *         "usage": {
           *           "input_tokens": 1840,
           *           "output_tokens": 212,
           *           "cached_tokens": 1536,
           *           "cost_usd": 0.0091
           *         },
           *         "createdAt": "2026-11-15T03:16:07.802Z",
           *         "updatedAt": "2026-11-15T03:17:31.090Z",
           *         "metadata": {
           *           "team": "payments"
           *         }
           *       }
           *     }
           */
          "application/json": {
            /** @description its state */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        /** @example {} */
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
          /**
           * @example {
           *       "healthy": true,
           *       "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *       "session": {
           *         "id": "demo",
           *         "agent": "claude",
           *         "agentVersion": "2.1.325",
           *         "agentMode": "build",
           *         "permissionMode": "default",
           *         "directory": "/workspace",
           *         "title": "Fix the failing test",
           *         "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *         "status": "idle",
           *         "agentProcess": "live",
           *         "background": 0,
           *         "queue": [],
           *         "pending": {
           *           "permissions": 0,
           *           "questions": 0
           *         },
           *         "firstSequence": 1,
           *         "lastSequence": 42,
           *         "usage": {
           *           "input_tokens": 1840,
           *           "output_tokens": 212,
           *           "cached_tokens": 1536,
           *           "cost_usd": 0.0091
           *         },
           *         "createdAt": "2026-11-15T03:16:07.802Z",
           *         "updatedAt": "2026-11-15T03:17:31.090Z",
           *         "metadata": {
           *           "team": "payments"
           *         }
           *       }
           *     }
           */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "demo-2"
         *     }
         */
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
          /**
           * @example {
           *       "healthy": true,
           *       "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *       "session": {
           *         "id": "demo",
           *         "agent": "claude",
           *         "agentVersion": "2.1.325",
           *         "agentMode": "build",
           *         "permissionMode": "default",
           *         "directory": "/workspace",
           *         "title": "Fix the failing test",
           *         "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *         "status": "idle",
           *         "agentProcess": "live",
           *         "background": 0,
           *         "queue": [],
           *         "pending": {
           *           "permissions": 0,
           *           "questions": 0
           *         },
           *         "firstSequence": 1,
           *         "lastSequence": 42,
           *         "usage": {
           *           "input_tokens": 1840,
           *           "output_tokens": 212,
           *           "cached_tokens": 1536,
           *           "cost_usd": 0.0091
           *         },
           *         "createdAt": "2026-11-15T03:16:07.802Z",
           *         "updatedAt": "2026-11-15T03:17:31.090Z",
           *         "metadata": {
           *           "team": "payments"
           *         }
           *       },
           *       "forkedAtSequence": 1
           *     }
           */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
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
          /**
           * @example {
           *       "items": [
           *         {
           *           "item_id": "item_1",
           *           "turn_id": "turn_1",
           *           "kind": "message",
           *           "role": "assistant",
           *           "status": "completed",
           *           "content": [
           *             {
           *               "type": "text",
           *               "text": "I will look at the test first."
           *             }
           *           ]
           *         }
           *       ],
           *       "sequence": 1
           *     }
           */
          "application/json": {
            /** @description in their order */
            items: components["schemas"]["Item"][]
            /** @description the event up to which they are current: stream from here */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
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
          /**
           * @example {
           *       "permissions": [
           *         {
           *           "permission_id": "perm_1",
           *           "action": "Bash",
           *           "status": "requested",
           *           "kind": "command",
           *           "detail": {
           *             "command": "npm test"
           *           },
           *           "choices": [
           *             "once",
           *             "always",
           *             "reject"
           *           ],
           *           "turn_id": "turn_1"
           *         }
           *       ],
           *       "questions": [
           *         {
           *           "question_id": "q_1",
           *           "prompt": "Which colour?",
           *           "options": [
           *             "Red",
           *             "Blue"
           *           ],
           *           "status": "requested",
           *           "questions": [
           *             {
           *               "id": "colour",
           *               "prompt": "Which colour?",
           *               "type": "choice",
           *               "options": [
           *                 {
           *                   "label": "Red"
           *                 },
           *                 {
           *                   "label": "Blue"
           *                 }
           *               ],
           *               "multi_select": false,
           *               "allow_other": true
           *             }
           *           ]
           *         }
           *       ]
           *     }
           */
          "application/json": {
            /** @description that wait */
            permissions: components["schemas"]["Permission"][]
            /** @description that wait */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
        /**
         * @description `blob` of a content part
         * @example 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
         */
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
          /** @example the bytes */
          "*/*": string
        }
      }
    }
  }
  getNativeState: {
    parameters: {
      query?: never
      header?: {
        /**
         * @description a record with this `ETag` is not sent again (304)
         * @example text
         */
        "If-None-Match"?: string
      }
      path: {
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The agent's own record of a session */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "nativeSessionId": "0c1e0d6e-7b0f-4a3f-9a55-3f2c8f6f2d11",
           *       "sequence": 42,
           *       "data": "H4sIAAAAAAAAA6tWKkktLlGyUlAqAzKUagG3vTJPEwAAAA=="
           *     }
           */
          "application/json": components["schemas"]["NativeState"]
        }
      }
      /** @description Not modified */
      304: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  replyPermission: {
    parameters: {
      query?: never
      header?: never
      path: {
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
        /**
         * @description `permission_id` of the request
         * @example perm_1
         */
        permissionId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "reply": "once"
         *     }
         */
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
          /**
           * @example {
           *       "permission": {
           *         "permission_id": "perm_1",
           *         "action": "Bash",
           *         "status": "requested",
           *         "kind": "command",
           *         "detail": {
           *           "command": "npm test"
           *         },
           *         "choices": [
           *           "once",
           *           "always",
           *           "reject"
           *         ],
           *         "turn_id": "turn_1"
           *       }
           *     }
           */
          "application/json": {
            /** @description as it was decided */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
        /**
         * @description `question_id` of the request
         * @example q_1
         */
        questionId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "answers": [
         *         [
         *           "Red"
         *         ]
         *       ]
         *     }
         */
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
          /**
           * @example {
           *       "question": {
           *         "question_id": "q_1",
           *         "prompt": "Which colour?",
           *         "options": [
           *           "Red",
           *           "Blue"
           *         ],
           *         "status": "requested",
           *         "questions": [
           *           {
           *             "id": "colour",
           *             "prompt": "Which colour?",
           *             "type": "choice",
           *             "options": [
           *               {
           *                 "label": "Red"
           *               },
           *               {
           *                 "label": "Blue"
           *               }
           *             ],
           *             "multi_select": false,
           *             "allow_other": true
           *           }
           *         ]
           *       }
           *     }
           */
          "application/json": {
            /** @description as it was answered */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
        /**
         * @description `question_id` of the request
         * @example q_1
         */
        questionId: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        /** @example {} */
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
          /**
           * @example {
           *       "question": {
           *         "question_id": "q_1",
           *         "prompt": "Which colour?",
           *         "options": [
           *           "Red",
           *           "Blue"
           *         ],
           *         "status": "requested",
           *         "questions": [
           *           {
           *             "id": "colour",
           *             "prompt": "Which colour?",
           *             "type": "choice",
           *             "options": [
           *               {
           *                 "label": "Red"
           *               },
           *               {
           *                 "label": "Blue"
           *               }
           *             ],
           *             "multi_select": false,
           *             "allow_other": true
           *           }
           *         ]
           *       }
           *     }
           */
          "application/json": {
            /** @description as it was rejected */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "agent": "mock",
         *       "items": [
         *         {
         *           "item_id": "item_1",
         *           "kind": "message",
         *           "role": "user",
         *           "status": "completed",
         *           "content": [
         *             {
         *               "type": "text",
         *               "text": "Fix the login form"
         *             }
         *           ]
         *         }
         *       ],
         *       "plan": [
         *         {
         *           "content": "Fix the form",
         *           "status": "in_progress"
         *         }
         *       ],
         *       "error": {
         *         "code": "rate_limited",
         *         "message": "The provider refuses more requests for now"
         *       },
         *       "decisions": [],
         *       "blobs": [
         *         {
         *           "mime": "image/png",
         *           "data": "iVBORw0KGgo="
         *         }
         *       ]
         *     }
         */
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
          /**
           * @example {
           *       "healthy": true,
           *       "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *       "session": {
           *         "id": "demo",
           *         "agent": "claude",
           *         "agentVersion": "2.1.325",
           *         "agentMode": "build",
           *         "permissionMode": "default",
           *         "directory": "/workspace",
           *         "title": "Fix the failing test",
           *         "nativeSessionId": "ce7e0491-d139-46af-9a5d-48b71fd213d0",
           *         "status": "idle",
           *         "agentProcess": "live",
           *         "background": 0,
           *         "queue": [],
           *         "pending": {
           *           "permissions": 0,
           *           "questions": 0
           *         },
           *         "firstSequence": 1,
           *         "lastSequence": 42,
           *         "usage": {
           *           "input_tokens": 1840,
           *           "output_tokens": 212,
           *           "cached_tokens": 1536,
           *           "cost_usd": 0.0091
           *         },
           *         "createdAt": "2026-11-15T03:16:07.802Z",
           *         "updatedAt": "2026-11-15T03:17:31.090Z",
           *         "metadata": {
           *           "team": "payments"
           *         }
           *       },
           *       "context": "native"
           *     }
           */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "message": "Fix the failing test"
         *     }
         */
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
          /**
           * @example {
           *       "messageId": "m-1",
           *       "turnId": "turn_1",
           *       "position": 0
           *     }
           */
          "application/json": components["schemas"]["PostedMessage"]
        }
      }
    }
  }
  streamMessage: {
    parameters: {
      query?: {
        /**
         * @description also return the native line of each event
         * @example true
         */
        include_raw?: boolean
        /**
         * @description same as include_raw
         * @example true
         */
        includeRaw?: boolean
      }
      header?: never
      path: {
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "message": "Fix the failing test"
         *     }
         */
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
          /**
           * @example {
           *       "event_id": "evt_1_1",
           *       "sequence": 1,
           *       "time": "2026-11-15T03:16:07.802Z",
           *       "session_id": "demo",
           *       "source": "daemon",
           *       "synthetic": true,
           *       "type": "session.started",
           *       "data": {
           *         "metadata": {
           *           "team": "payments"
           *         }
           *       }
           *     }
           */
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
        /**
         * @description session id, chosen by the client
         * @example demo
         */
        id: string
        /**
         * @description id of the message
         * @example m-1
         */
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
          /**
           * @example {
           *       "messageId": "text",
           *       "state": "withdrawn"
           *     }
           */
          "application/json": {
            /** @description id of the message */
            messageId: string
            /**
             * @description always `withdrawn`
             * @constant
             */
            state: "withdrawn"
          }
        }
      }
    }
  }
  getEvents: {
    parameters: {
      query?: {
        /**
         * @description last seen sequence, exclusive; without it from the first event that is kept
         * @example 0
         */
        offset?: number
        /**
         * @description events of a page; default 200
         * @example 50
         */
        limit?: number
        /**
         * @description also return the native line of each event
         * @example true
         */
        include_raw?: boolean
        /**
         * @description same as include_raw
         * @example true
         */
        includeRaw?: boolean
      }
      header?: never
      path: {
        /**
         * @description session id, chosen by the client
         * @example demo
         */
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
          /**
           * @example {
           *       "events": [
           *         {
           *           "event_id": "evt_1_1",
           *           "sequence": 1,
           *           "time": "2026-11-15T03:16:07.802Z",
           *           "session_id": "demo",
           *           "source": "daemon",
           *           "synthetic": true,
           *           "type": "session.started",
           *           "data": {
           *             "metadata": {
           *               "team": "payments"
           *             }
           *           }
           *         }
           *       ],
           *       "hasMore": true
           *     }
           */
          "application/json": {
            /** @description in their order */
            events: components["schemas"]["Event"][]
            /** @description there are more behind the last */
            hasMore: boolean
          }
        }
      }
    }
  }
  streamEvents: {
    parameters: {
      query?: {
        /**
         * @description last seen sequence, exclusive; without it from the first event that is kept
         * @example 0
         */
        offset?: number
        /**
         * @description also return the native line of each event
         * @example true
         */
        include_raw?: boolean
        /**
         * @description same as include_raw
         * @example true
         */
        includeRaw?: boolean
      }
      header?: {
        /**
         * @description last seen sequence; wins over `offset`
         * @example 12
         */
        "Last-Event-ID"?: string
      }
      path: {
        /**
         * @description session id, chosen by the client
         * @example demo
         */
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
          /**
           * @example {
           *       "event_id": "evt_1_1",
           *       "sequence": 1,
           *       "time": "2026-11-15T03:16:07.802Z",
           *       "session_id": "demo",
           *       "source": "daemon",
           *       "synthetic": true,
           *       "type": "session.started",
           *       "data": {
           *         "metadata": {
           *           "team": "payments"
           *         }
           *       }
           *     }
           */
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
        /**
         * @example {
         *       "command": "echo",
         *       "args": [
         *         "hello"
         *       ]
         *     }
         */
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
          /**
           * @example {
           *       "exitCode": 0,
           *       "signal": null,
           *       "timedOut": false,
           *       "durationMs": 5120,
           *       "stdout": "12 passed\n",
           *       "stderr": "",
           *       "stdoutTruncated": false,
           *       "stderrTruncated": false,
           *       "stdoutBytes": 10,
           *       "stderrBytes": 0,
           *       "encoding": "utf8"
           *     }
           */
          "application/json": components["schemas"]["RanProcess"]
          /**
           * @example {
           *       "sequence": 1,
           *       "stream": "stdout",
           *       "timestampMs": 1794778404239,
           *       "data": "aGVsbG8K",
           *       "encoding": "base64"
           *     }
           */
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
          /**
           * @example {
           *       "maxConcurrentProcesses": 64,
           *       "defaultRunTimeoutMs": 30000,
           *       "maxRunTimeoutMs": 3600000,
           *       "maxOutputBytes": 1048576,
           *       "maxLogBytesPerProcess": 10485760,
           *       "maxInputBytesPerRequest": 1048576
           *     }
           */
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
        /**
         * @example {
         *       "maxConcurrentProcesses": 64,
         *       "defaultRunTimeoutMs": 30000,
         *       "maxRunTimeoutMs": 3600000,
         *       "maxOutputBytes": 1048576,
         *       "maxLogBytesPerProcess": 10485760,
         *       "maxInputBytesPerRequest": 1048576
         *     }
         */
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
          /**
           * @example {
           *       "maxConcurrentProcesses": 64,
           *       "defaultRunTimeoutMs": 30000,
           *       "maxRunTimeoutMs": 3600000,
           *       "maxOutputBytes": 1048576,
           *       "maxLogBytesPerProcess": 10485760,
           *       "maxInputBytesPerRequest": 1048576
           *     }
           */
          "application/json": components["schemas"]["ProcessConfig"]
        }
      }
    }
  }
  listProcesses: {
    parameters: {
      query?: {
        /**
         * @description those of clients are `user`
         * @example user
         */
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
          /**
           * @example {
           *       "processes": [
           *         {
           *           "id": "proc_2b1e0f9c3a7d0Qx1",
           *           "command": "npm",
           *           "args": [
           *             "run",
           *             "dev"
           *           ],
           *           "cwd": "/workspace",
           *           "tty": false,
           *           "interactive": false,
           *           "owner": "user",
           *           "status": "running",
           *           "pid": 4711,
           *           "createdAtMs": 1794778404206,
           *           "ports": [
           *             {
           *               "port": 5173,
           *               "address": "127.0.0.1"
           *             }
           *           ],
           *           "firstSequence": 1,
           *           "lastSequence": 42
           *         }
           *       ]
           *     }
           */
          "application/json": {
            /** @description newest last */
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
        /**
         * @example {
         *       "command": "sleep",
         *       "args": [
         *         "60"
         *       ]
         *     }
         */
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
          /**
           * @example {
           *       "id": "proc_2b1e0f9c3a7d0Qx1",
           *       "command": "npm",
           *       "args": [
           *         "run",
           *         "dev"
           *       ],
           *       "cwd": "/workspace",
           *       "tty": false,
           *       "interactive": false,
           *       "owner": "user",
           *       "status": "running",
           *       "pid": 4711,
           *       "createdAtMs": 1794778404206,
           *       "ports": [
           *         {
           *           "port": 5173,
           *           "address": "127.0.0.1"
           *         }
           *       ],
           *       "firstSequence": 1,
           *       "lastSequence": 42
           *     }
           */
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
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
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
          /**
           * @example {
           *       "id": "proc_2b1e0f9c3a7d0Qx1",
           *       "command": "npm",
           *       "args": [
           *         "run",
           *         "dev"
           *       ],
           *       "cwd": "/workspace",
           *       "tty": false,
           *       "interactive": false,
           *       "owner": "user",
           *       "status": "running",
           *       "pid": 4711,
           *       "createdAtMs": 1794778404206,
           *       "ports": [
           *         {
           *           "port": 5173,
           *           "address": "127.0.0.1"
           *         }
           *       ],
           *       "firstSequence": 1,
           *       "lastSequence": 42
           *     }
           */
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  deleteProcess: {
    parameters: {
      query?: {
        /**
         * @description ends it first, if it runs; else that is a conflict
         * @example true
         */
        force?: boolean
      }
      header?: never
      path: {
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
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
        /**
         * @description how long; default: an hour
         * @example 5000
         */
        waitMs?: number
      }
      header?: never
      path: {
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
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
          /**
           * @example {
           *       "id": "proc_2b1e0f9c3a7d0Qx1",
           *       "command": "npm",
           *       "args": [
           *         "run",
           *         "dev"
           *       ],
           *       "cwd": "/workspace",
           *       "tty": false,
           *       "interactive": false,
           *       "owner": "user",
           *       "status": "running",
           *       "pid": 4711,
           *       "createdAtMs": 1794778404206,
           *       "ports": [
           *         {
           *           "port": 5173,
           *           "address": "127.0.0.1"
           *         }
           *       ],
           *       "firstSequence": 1,
           *       "lastSequence": 42
           *     }
           */
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  getProcessLogs: {
    parameters: {
      query?: {
        /**
         * @description default `combined`
         * @example stdout
         */
        stream?: components["schemas"]["ProcessLogsStream"]
        /**
         * @description last seen sequence, exclusive; default 0
         * @example 0
         */
        since?: number
        /**
         * @description only so many of the last entries
         * @example 100
         */
        tail?: number
        /**
         * @description as a stream that goes on live
         * @example true
         */
        follow?: boolean
      }
      header?: never
      path: {
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
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
          /**
           * @example {
           *       "processId": "proc_2b1e0f9c3a7d0Qx1",
           *       "stream": "combined",
           *       "firstSequence": 1,
           *       "lastSequence": 1,
           *       "entries": [
           *         {
           *           "sequence": 1,
           *           "stream": "stdout",
           *           "timestampMs": 1794778404239,
           *           "data": "aGVsbG8K",
           *           "encoding": "base64"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["ProcessLogs"]
          /**
           * @example {
           *       "sequence": 1,
           *       "stream": "stdout",
           *       "timestampMs": 1794778404239,
           *       "data": "aGVsbG8K",
           *       "encoding": "base64"
           *     }
           */
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
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "data": "eWVzCg=="
         *     }
         */
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
          /**
           * @example {
           *       "bytesWritten": 4
           *     }
           */
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
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "signal": "SIGINT"
         *     }
         */
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
          /**
           * @example {
           *       "id": "proc_2b1e0f9c3a7d0Qx1",
           *       "command": "npm",
           *       "args": [
           *         "run",
           *         "dev"
           *       ],
           *       "cwd": "/workspace",
           *       "tty": false,
           *       "interactive": false,
           *       "owner": "user",
           *       "status": "running",
           *       "pid": 4711,
           *       "createdAtMs": 1794778404206,
           *       "ports": [
           *         {
           *           "port": 5173,
           *           "address": "127.0.0.1"
           *         }
           *       ],
           *       "firstSequence": 1,
           *       "lastSequence": 42
           *     }
           */
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  stopProcess: {
    parameters: {
      query?: {
        /**
         * @description waits so long for its end; default 0
         * @example 5000
         */
        waitMs?: number
      }
      header?: never
      path: {
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
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
          /**
           * @example {
           *       "id": "proc_2b1e0f9c3a7d0Qx1",
           *       "command": "npm",
           *       "args": [
           *         "run",
           *         "dev"
           *       ],
           *       "cwd": "/workspace",
           *       "tty": false,
           *       "interactive": false,
           *       "owner": "user",
           *       "status": "running",
           *       "pid": 4711,
           *       "createdAtMs": 1794778404206,
           *       "ports": [
           *         {
           *           "port": 5173,
           *           "address": "127.0.0.1"
           *         }
           *       ],
           *       "firstSequence": 1,
           *       "lastSequence": 42
           *     }
           */
          "application/json": components["schemas"]["Process"]
        }
      }
    }
  }
  killProcess: {
    parameters: {
      query?: {
        /**
         * @description waits so long for its end; default 1000
         * @example 5000
         */
        waitMs?: number
      }
      header?: never
      path: {
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
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
          /**
           * @example {
           *       "id": "proc_2b1e0f9c3a7d0Qx1",
           *       "command": "npm",
           *       "args": [
           *         "run",
           *         "dev"
           *       ],
           *       "cwd": "/workspace",
           *       "tty": false,
           *       "interactive": false,
           *       "owner": "user",
           *       "status": "running",
           *       "pid": 4711,
           *       "createdAtMs": 1794778404206,
           *       "ports": [
           *         {
           *           "port": 5173,
           *           "address": "127.0.0.1"
           *         }
           *       ],
           *       "firstSequence": 1,
           *       "lastSequence": 42
           *     }
           */
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
          /**
           * @example {
           *       "terminals": [
           *         {
           *           "id": "proc_2b1e0f9c3a7d0Qx1",
           *           "command": "npm",
           *           "args": [
           *             "run",
           *             "dev"
           *           ],
           *           "cwd": "/workspace",
           *           "tty": false,
           *           "interactive": false,
           *           "owner": "user",
           *           "status": "running",
           *           "pid": 4711,
           *           "createdAtMs": 1794778404206,
           *           "ports": [
           *             {
           *               "port": 5173,
           *               "address": "127.0.0.1"
           *             }
           *           ],
           *           "firstSequence": 1,
           *           "lastSequence": 42
           *         }
           *       ]
           *     }
           */
          "application/json": {
            /** @description newest last */
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
        /** @example {} */
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
          /**
           * @example {
           *       "id": "proc_2b1e0f9c3a7d0Qx1",
           *       "command": "npm",
           *       "args": [
           *         "run",
           *         "dev"
           *       ],
           *       "cwd": "/workspace",
           *       "tty": false,
           *       "interactive": false,
           *       "owner": "user",
           *       "status": "running",
           *       "pid": 4711,
           *       "createdAtMs": 1794778404206,
           *       "ports": [
           *         {
           *           "port": 5173,
           *           "address": "127.0.0.1"
           *         }
           *       ],
           *       "firstSequence": 1,
           *       "lastSequence": 42
           *     }
           */
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
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
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
          /**
           * @example {
           *       "id": "proc_2b1e0f9c3a7d0Qx1",
           *       "command": "npm",
           *       "args": [
           *         "run",
           *         "dev"
           *       ],
           *       "cwd": "/workspace",
           *       "tty": false,
           *       "interactive": false,
           *       "owner": "user",
           *       "status": "running",
           *       "pid": 4711,
           *       "createdAtMs": 1794778404206,
           *       "ports": [
           *         {
           *           "port": 5173,
           *           "address": "127.0.0.1"
           *         }
           *       ],
           *       "firstSequence": 1,
           *       "lastSequence": 42
           *     }
           */
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
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
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
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "cols": 120,
         *       "rows": 40
         *     }
         */
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
          /**
           * @example {
           *       "cols": 120,
           *       "rows": 40
           *     }
           */
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
        /**
         * @description process id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
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
          /**
           * @example {
           *       "ticket": "dGhpcyBpcyBub3QgYSB0aWNrZXQ",
           *       "expiresAtMs": 1794778434206
           *     }
           */
          "application/json": components["schemas"]["TerminalTicket"]
        }
      }
    }
  }
  listFsEntries: {
    parameters: {
      query?: {
        /**
         * @description without it the session's directory, else the first --fs-root, else where the daemon runs
         * @example /workspace
         */
        path?: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
        /**
         * @description how many levels of folders; 1 without
         * @example 2
         */
        depth?: number
        /**
         * @description also names that begin with a dot; true without
         * @example true
         */
        hidden?: boolean
        /**
         * @description leave out what .gitignore files name, and .git
         * @example true
         */
        gitignore?: boolean
        /**
         * @description entries of a page
         * @example 50
         */
        limit?: number
        /**
         * @description `x-next-cursor` of the page before
         * @example 41
         */
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
          /**
           * @example [
           *       {
           *         "name": "app.ts",
           *         "path": "/workspace/app.ts",
           *         "entryType": "file",
           *         "size": 2048,
           *         "modified": "2026-11-15T03:16:07.802Z",
           *         "mode": "0644"
           *       }
           *     ]
           */
          "application/json": components["schemas"]["FileEntry"][]
        }
      }
    }
  }
  statFsEntry: {
    parameters: {
      query: {
        /**
         * @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry
         * @example /workspace/app.ts
         */
        path: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
        /**
         * @description what a link leads to and not the link; true without
         * @example true
         */
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
          /**
           * @example {
           *       "path": "/workspace/app.ts",
           *       "entryType": "file",
           *       "size": 2048,
           *       "modified": "2026-11-15T03:16:07.802Z",
           *       "mode": "0644",
           *       "realPath": "/workspace/app.ts",
           *       "uid": 1000,
           *       "gid": 1000,
           *       "links": 1,
           *       "etag": "\"1p8-1kw-k3v8-k3v8\""
           *     }
           */
          "application/json": components["schemas"]["FileStat"]
        }
      }
    }
  }
  readFsFile: {
    parameters: {
      query: {
        /**
         * @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry
         * @example /workspace/app.ts
         */
        path: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
        /**
         * @description have browsers save it
         * @example true
         */
        download?: boolean
      }
      header?: {
        /**
         * @description a file with another `ETag` is `precondition_failed`; `*`: any, but one that is there
         * @example text
         */
        "If-Match"?: string
        /**
         * @description a file with this `ETag` is not sent again (304)
         * @example text
         */
        "If-None-Match"?: string
        /**
         * @description a file that has not changed since is not sent again (304)
         * @example text
         */
        "If-Modified-Since"?: string
        /**
         * @description one range of bytes, such as `bytes=0-99` (206)
         * @example text
         */
        Range?: string
        /**
         * @description `Range` counts only where the file has this `ETag`, or has not changed since
         * @example text
         */
        "If-Range"?: string
      }
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
          /** @example the bytes */
          "*/*": string
        }
      }
      /** @description The part that `Range` asks for */
      206: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /** @example the bytes */
          "*/*": string
        }
      }
      /** @description Not modified */
      304: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  writeFsFile: {
    parameters: {
      query: {
        /**
         * @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry
         * @example /workspace/app.ts
         */
        path: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
        /**
         * @description octal digits; without it as before, or as the system makes new files
         * @example 0644
         */
        mode?: string
        /**
         * @description make the folders that are missing; true without
         * @example true
         */
        parents?: boolean
        /**
         * @description answer when the disk has it
         * @example true
         */
        fsync?: boolean
      }
      header?: {
        /**
         * @description a file with another `ETag` is `precondition_failed`; `*`: any, but one that is there
         * @example text
         */
        "If-Match"?: string
        /**
         * @description `*`: only where no file is there
         * @example text
         */
        "If-None-Match"?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        /** @example the bytes */
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
          /**
           * @example {
           *       "path": "/workspace/app.ts",
           *       "bytesWritten": 2048,
           *       "created": true,
           *       "etag": "\"1p8-1kw-k3v8-k3v8\""
           *     }
           */
          "application/json": components["schemas"]["WrittenFile"]
        }
      }
    }
  }
  headFsFile: {
    parameters: {
      query: {
        /**
         * @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry
         * @example /workspace/app.ts
         */
        path: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
        /**
         * @description have browsers save it
         * @example true
         */
        download?: boolean
      }
      header?: {
        /**
         * @description a file with another `ETag` is `precondition_failed`; `*`: any, but one that is there
         * @example text
         */
        "If-Match"?: string
        /**
         * @description a file with this `ETag` is not sent again (304)
         * @example text
         */
        "If-None-Match"?: string
        /**
         * @description a file that has not changed since is not sent again (304)
         * @example text
         */
        "If-Modified-Since"?: string
        /**
         * @description one range of bytes, such as `bytes=0-99` (206)
         * @example text
         */
        Range?: string
        /**
         * @description `Range` counts only where the file has this `ETag`, or has not changed since
         * @example text
         */
        "If-Range"?: string
      }
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
      /** @description The part that `Range` asks for */
      206: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Not modified */
      304: {
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
        /**
         * @description the folder, made if it is missing
         * @example /workspace
         */
        path?: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        /** @example the bytes */
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
          /**
           * @example {
           *       "paths": [
           *         "/workspace/app.ts"
           *       ],
           *       "truncated": false,
           *       "files": 1,
           *       "directories": 0,
           *       "links": 0,
           *       "bytes": 2048,
           *       "skipped": [],
           *       "skippedCount": 0
           *     }
           */
          "application/json": components["schemas"]["UploadedFiles"]
        }
      }
    }
  }
  archiveFs: {
    parameters: {
      query?: {
        /**
         * @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry
         * @example /workspace
         */
        path?: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
        /**
         * @description tar without
         * @example tar
         */
        format?: "tar" | "tar.gz" | "tar.zst"
        /**
         * @description also names that begin with a dot; true without
         * @example true
         */
        hidden?: boolean
        /**
         * @description leave out what .gitignore files name, and .git
         * @example true
         */
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
          /** @example the bytes */
          "application/x-tar": string
          /** @example the bytes */
          "application/gzip": string
          /** @example the bytes */
          "application/zstd": string
        }
      }
    }
  }
  watchFs: {
    parameters: {
      query?: {
        /**
         * @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry
         * @example /workspace
         */
        path?: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
        /**
         * @description also in folders below; true without
         * @example true
         */
        recursive?: boolean
        /**
         * @description leave out what .gitignore files name, and .git
         * @example true
         */
        gitignore?: boolean
      }
      header?: {
        /**
         * @description last seen sequence; wins over `offset`
         * @example 12
         */
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
          /**
           * @example {
           *       "type": "ready"
           *     }
           */
          "text/event-stream": components["schemas"]["FileChange"]
        }
      }
    }
  }
  searchFs: {
    parameters: {
      query: {
        /**
         * @description what to find
         * @example TODO
         */
        pattern: string
        /**
         * @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry
         * @example /workspace
         */
        path?: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
        /**
         * @description text without
         * @example text
         */
        mode?: "text" | "regex" | "names"
        /**
         * @description large and small letters are the same
         * @example true
         */
        ignoreCase?: boolean
        /**
         * @description only these files, separated by commas, as in an ignore file; with `!` all but these
         * @example *.ts,!*.test.ts
         */
        globs?: string
        /**
         * @description lines around each match
         * @example 2
         */
        context?: number
        /**
         * @description matches before it stops; 1,000 without
         * @example 50
         */
        limit?: number
        /**
         * @description also names that begin with a dot
         * @example true
         */
        hidden?: boolean
        /**
         * @description pass over what .gitignore and .ignore files name; true without
         * @example true
         */
        gitignore?: boolean
      }
      header?: {
        /**
         * @description last seen sequence; wins over `offset`
         * @example 12
         */
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
          /**
           * @example {
           *       "type": "match",
           *       "path": "/workspace/app.ts",
           *       "line": 12,
           *       "column": 3,
           *       "text": "// TODO: empty lines"
           *     }
           */
          "text/event-stream": components["schemas"]["SearchEvent"]
        }
      }
    }
  }
  makeFsDirectory: {
    parameters: {
      query: {
        /**
         * @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry
         * @example /workspace
         */
        path: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
        /**
         * @description make the folders in front of it, too; true without
         * @example true
         */
        parents?: boolean
        /**
         * @description octal digits; default: as the system makes new folders
         * @example 0644
         */
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
          /**
           * @example {
           *       "path": "/workspace/src"
           *     }
           */
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
        /**
         * @example {
         *       "from": "/workspace/old.ts",
         *       "to": "/workspace/new.ts"
         *     }
         */
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
          /**
           * @example {
           *       "from": "/workspace/old.ts",
           *       "to": "/workspace/new.ts"
           *     }
           */
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
        /**
         * @example {
         *       "from": "/workspace/app",
         *       "to": "/workspace/app-2",
         *       "recursive": true
         *     }
         */
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
          /**
           * @example {
           *       "from": "/workspace/app",
           *       "to": "/workspace/app-2",
           *       "files": 12,
           *       "bytes": 40960,
           *       "skipped": []
           *     }
           */
          "application/json": components["schemas"]["CopiedFiles"]
        }
      }
    }
  }
  deleteFsEntry: {
    parameters: {
      query: {
        /**
         * @description absolute, or relative to the directory of `sessionId`; or the `uri` of an entry
         * @example /workspace/app.ts
         */
        path: string
        /**
         * @description relative paths begin in its directory
         * @example demo
         */
        sessionId?: string
        /**
         * @description a folder with everything in it; without it such a folder is refused
         * @example true
         */
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
          /**
           * @example {
           *       "path": "/workspace/src"
           *     }
           */
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
        /**
         * @example {
         *       "path": "/workspace/run.sh",
         *       "mode": "0755"
         *     }
         */
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
          /**
           * @example {
           *       "path": "/workspace/src"
           *     }
           */
          "application/json": components["schemas"]["NamedFile"]
        }
      }
    }
  }
  getMcpConfig: {
    parameters: {
      query: {
        /**
         * @description absolute; the directory of sessions
         * @example /workspace
         */
        directory: string
        /**
         * @description its name in sessions
         * @example tickets
         */
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
          /**
           * @example {
           *       "type": "local",
           *       "command": "npx",
           *       "args": [
           *         "-y",
           *         "@acme/mcp-tickets"
           *       ],
           *       "env": {
           *         "TICKETS_TOKEN": "********"
           *       },
           *       "timeoutMs": 30000
           *     }
           */
          "application/json": components["schemas"]["McpServerConfig"] | components["schemas"]["McpServerList"]
        }
      }
    }
  }
  setMcpConfig: {
    parameters: {
      query: {
        /**
         * @description absolute; the directory of sessions
         * @example /workspace
         */
        directory: string
        /**
         * @description its name in sessions
         * @example tickets
         */
        mcpName: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "type": "local",
         *       "command": "npx",
         *       "args": [
         *         "-y",
         *         "@acme/mcp-tickets"
         *       ],
         *       "env": {
         *         "TICKETS_TOKEN": "secret"
         *       },
         *       "timeoutMs": 30000
         *     }
         */
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
        /**
         * @description absolute; the directory of sessions
         * @example /workspace
         */
        directory: string
        /**
         * @description its name in sessions
         * @example tickets
         */
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
        /**
         * @description absolute; the directory of sessions
         * @example /workspace
         */
        directory: string
        /**
         * @description name of the entry
         * @example ours
         */
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
          /**
           * @example {
           *       "sources": [
           *         {
           *           "type": "github",
           *           "source": "acme/skills",
           *           "ref": "v2",
           *           "skills": [
           *             "release-notes"
           *           ]
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["SkillsConfig"] | components["schemas"]["SkillsList"]
        }
      }
    }
  }
  setSkillsConfig: {
    parameters: {
      query: {
        /**
         * @description absolute; the directory of sessions
         * @example /workspace
         */
        directory: string
        /**
         * @description name of the entry
         * @example ours
         */
        skillName: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "sources": [
         *         {
         *           "type": "github",
         *           "source": "acme/skills",
         *           "ref": "v2",
         *           "skills": [
         *             "release-notes"
         *           ]
         *         }
         *       ]
         *     }
         */
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
        /**
         * @description absolute; the directory of sessions
         * @example /workspace
         */
        directory: string
        /**
         * @description name of the entry
         * @example ours
         */
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
        /**
         * @description of `POST /v1/terminals/{id}/ticket`; good once, for half a minute
         * @example PUfghPghY6PpAgnX6V6b0Itk-2jtKmQ1
         */
        ticket?: string
      }
      header?: never
      path: {
        /**
         * @description terminal id
         * @example proc_2b1e0f9c3a7d0Qx1
         */
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
