import { agentCommands } from "./agent-commands.ts"
import { type Command, connectionFlags, dataDirFlag, endpointFlags, jsonFlag } from "./command.ts"
import { fileCommands } from "./file-commands.ts"
import type { Flag } from "./flag.ts"
import { serverFlags } from "./server-flags.ts"
import { sessionFlags } from "./session-flags.ts"

/** The commands that are not endpoints. Those of the API are derived from the contract in `api-commands.ts`. */
export const builtinCommands: readonly Command[] = [
  {
    words: ["server"],
    summary: "Run the daemon in the foreground",
    description:
      'Each flag is also an environment variable (SANDBOX_AGENT_ and the name, as in SANDBOX_AGENT_DATA_DIR) and a key of the config file (as in "dataDir"). Flags win over the environment, the environment over the file. The word `server` may be left out when flags are given.',
    arguments: [],
    flags: serverFlags,
    examples: [
      "sandbox-agent server --no-token",
      'sandbox-agent server --token "$TOKEN" --host 0.0.0.0 --port 2468',
      "sandbox-agent server --cors-allow-origin https://app.example.com",
    ],
    load: async () => (await import("./server.ts")).serverCommand,
  },
  {
    words: ["daemon", "start"],
    summary: "Start the daemon in the background",
    description:
      "Takes the flags of `server`. Waits until the daemon answers. If no token is given one is generated; it is in no file: the other commands of the same user get it from the daemon, over a socket in its data directory, and agents do not.",
    arguments: [],
    flags: [...serverFlags, jsonFlag],
    examples: ["sandbox-agent daemon start", "sandbox-agent daemon start --port 0 --data-dir ./data"],
    load: async () => (await import("./daemon.ts")).daemonStart,
  },
  {
    words: ["daemon", "stop"],
    summary: "Stop the background daemon",
    description: "Running turns are ended, sessions stay.",
    arguments: [],
    flags: [dataDirFlag, jsonFlag],
    load: async () => (await import("./daemon.ts")).daemonStop,
  },
  {
    words: ["daemon", "status"],
    summary: "Show whether the daemon runs (exit code 0) or not (1)",
    arguments: [],
    flags: [dataDirFlag, jsonFlag],
    load: async () => (await import("./daemon.ts")).daemonStatus,
  },
  {
    words: ["daemon", "token"],
    summary: "Print the token of the background daemon",
    description:
      "For programs other than this one. The daemon tells it to processes of its own user, and to none that an agent is or has started.",
    arguments: [],
    flags: [dataDirFlag, jsonFlag],
    examples: ['curl -H "Authorization: Bearer $(sandbox-agent daemon token)" http://127.0.0.1:2468/v1/sessions'],
    load: async () => (await import("./daemon.ts")).daemonToken,
  },
  {
    words: ["daemon", "open"],
    summary: "Open the inspector of the background daemon in a browser",
    description:
      "The page is signed in by a ticket that is good once, for ten minutes. Where there is no browser to start, or no terminal, the address is only printed.",
    arguments: [],
    flags: [dataDirFlag, jsonFlag],
    load: async () => (await import("./daemon-open.ts")).daemonOpen,
  },
  {
    words: ["daemon", "logs"],
    summary: "Show the log of the background daemon",
    arguments: [],
    flags: [
      dataDirFlag,
      { name: "follow", short: "f", type: "boolean", help: "keep printing lines as they are written" },
      { name: "lines", short: "n", type: "number", placeholder: "N", help: "how many of the last lines (default 100)" },
    ],
    examples: ["sandbox-agent daemon logs --follow"],
    load: async () => (await import("./daemon-logs.ts")).daemonLogs,
  },
  {
    words: ["doctor"],
    summary: "Look for what sessions would lack on this machine, and say what to do about it",
    description:
      "Looks at the daemon, its data directory, the agents with their versions and logins, the network to the package registry and to the providers in use, and what agents need of a sandbox. Changes nothing. Exit code 1 if something failed; what is only to be looked at does not count.",
    arguments: [],
    flags: [dataDirFlag, jsonFlag],
    examples: ["sandbox-agent doctor", "sandbox-agent doctor --json | jq '.findings[] | select(.state != \"ok\")'"],
    load: async () => (await import("./doctor.ts")).doctorCommand,
  },
  {
    words: ["store", "check"],
    summary: "Check the store: exit code 0 if it is intact, 1 if it is damaged",
    description:
      "Reads all of it and changes nothing; a daemon may go on using it. With --repair all that can be read goes into a new file, and the damaged one is kept beside it; the daemon has to be stopped for that.",
    arguments: [],
    flags: [
      { name: "repair", type: "boolean", help: "save what can be saved into a new file, and keep the old one" },
      dataDirFlag,
      jsonFlag,
    ],
    examples: ["sandbox-agent store check", "sandbox-agent store check --repair --data-dir ./data"],
    load: async () => (await import("./store.ts")).storeCheck,
  },
  {
    words: ["run"],
    summary: "Run one prompt on an agent, without a daemon",
    description:
      "Starts a daemon of its own that ends with the command, streams the turn to the terminal and asks permissions and questions at the prompt. Without a terminal to ask at, they are rejected, each with a line on stderr, and the turn goes on: choose with --permission-mode what the agent may do. `-` reads the prompt from stdin. With --session or --continue the session is kept, in the daemon that runs or in its data directory, and gone on with; a model, a mode or a permission mode that is given then stays set. The first Ctrl-C cancels the turn, the second exits. The exit code is that of the turn: 1 if it failed, 0 also if something in it was rejected.",
    arguments: [
      { name: "agent", optional: true, help: "agent id, such as claude; may be left out where --default-agent is set" },
      { name: "prompt", help: "what to do; - reads stdin" },
    ],
    flags: [
      ...sessionFlags,
      {
        name: "session",
        type: "string",
        placeholder: "ID",
        help: "go on with this session, or begin it under this id",
      },
      {
        name: "continue",
        short: "c",
        type: "boolean",
        help: "go on with the session of this directory that was used last",
      },
      {
        name: "directory",
        type: "string",
        placeholder: "DIR",
        path: true,
        help: "folder to work in (default: this one)",
      },
      { name: "cwd", type: "string", placeholder: "DIR", path: true, help: "the same" },
      dataDirFlag,
      ...endpointFlags.map((flag) => ({ ...flag, help: `${flag.help}, with --session or --continue` })),
      { ...jsonFlag, help: "print the events, one JSON object per line" },
    ],
    examples: [
      'sandbox-agent run claude "explain this repository"',
      'sandbox-agent run codex "fix the failing test" --permission-mode acceptEdits',
      "git diff | sandbox-agent run claude -",
      'sandbox-agent run claude "begin with the parser" --session parser && sandbox-agent run -c "now its tests"',
    ],
    load: async () => (await import("./run.ts")).runCommand,
  },
  {
    words: ["chat"],
    summary: "Talk with an agent in this terminal",
    description:
      "A new session here, on the daemon at --endpoint, else on the one that runs, else on one of the command's own; it is kept, and `attach` comes back to it. Answers stream as they are written, tools are a line each with the change they made, permissions are answered with [y]es, [a]lways or [n]o and a reason, questions by number or words. What is sent while the agent works waits for its turn; Esc stops the turn; @path sends a file along. /help lists the rest.",
    arguments: [
      { name: "agent", optional: true, help: "agent id, such as claude; may be left out where --default-agent is set" },
      { name: "prompt", optional: true, help: "the first message" },
    ],
    flags: [...sessionFlags, dataDirFlag, ...endpointFlags],
    examples: ["sandbox-agent chat claude", 'sandbox-agent chat codex "what does this repository do?" --mode plan'],
    load: async () => (await import("./chat/chat.ts")).chatCommand,
  },
  {
    words: ["attach"],
    summary: "Go on with a session in this terminal",
    description:
      "Shows the end of what was said and follows it live, whoever else speaks there; open permissions and questions are asked. Otherwise as `chat`.",
    arguments: [{ name: "session", help: "session id, as listed by `sessions list`" }],
    flags: [dataDirFlag, ...endpointFlags],
    examples: ["sandbox-agent attach my-session"],
    load: async () => (await import("./chat/chat.ts")).attachCommand,
  },
  {
    words: ["acp"],
    summary: "Speak ACP on stdin and stdout, for editors",
    description:
      "One JSON-RPC message per line, both ways; nothing else is written to stdout. Uses the daemon at --endpoint, else the one that runs, else one of its own that ends with the command. When the connection to the daemon breaks, it resumes where it was.",
    arguments: [],
    flags: [
      { name: "agent", type: "string", placeholder: "AGENT", help: "agent for sessions that name none" },
      ...endpointFlags,
      dataDirFlag,
    ],
    examples: [
      "sandbox-agent acp --agent claude",
      "sandbox-agent acp --agent codex --endpoint https://sandbox.example.com",
    ],
    load: async () => (await import("./acp.ts")).acpCommand,
  },
  ...agentCommands,
  ...fileCommands,
  {
    words: ["terminals", "attach"],
    summary: "Attach this terminal to one of the daemon's",
    description:
      "Shows its current screen, types into it and follows the size of this one, until its program ends (and exits with its code) or Ctrl-] is typed, which leaves it running. `terminals create` opens one.",
    arguments: [{ name: "id", help: "process id, as listed by `terminals list`" }],
    flags: connectionFlags.filter((flag) => flag !== jsonFlag),
    examples: ['sandbox-agent terminals attach "$(sandbox-agent terminals create --json | jq -r .id)"'],
    load: async () => (await import("./attach-terminal.ts")).attachTerminal,
  },
  {
    words: ["completions"],
    summary: "Print a completion script for a shell",
    description: "`agents` and `sessions` in place of a shell print the names that the scripts complete.",
    arguments: [{ name: "shell", values: ["bash", "zsh", "fish", "agents", "sessions"] }],
    flags: [],
    examples: [
      "source <(sandbox-agent completions bash)",
      'sandbox-agent completions zsh > "$HOME/.zfunc/_sandbox-agent"',
      "sandbox-agent completions fish > ~/.config/fish/completions/sandbox-agent.fish",
    ],
    load: async () => (await import("./completions.ts")).completionsCommand,
  },
  {
    words: ["help"],
    summary: "Help for a command, `exit-codes` or `environment`",
    arguments: [{ name: "command", optional: true, many: true }],
    flags: [],
    examples: ["sandbox-agent help sessions", "sandbox-agent help exit-codes"],
    load: async () => (await import("./help.ts")).helpCommand,
  },
]

export const flagsOf = (...words: string[]): readonly Flag[] =>
  builtinCommands.find((command) => command.words.join(" ") === words.join(" "))?.flags ?? []
