import { agentsWithCredentials } from "../credentials/discover.ts"
import { nativeAgents } from "../drivers/table.ts"
import { builtinEntries, provenEntries } from "../registry/builtin.ts"
import { installable, installTable } from "../registry/installable.ts"
import { type Command, dataDirFlag, endpointFlags, jsonFlag } from "./command.ts"
import type { Flag } from "./flag.ts"

const agentFlag: Flag = {
  name: "agent",
  type: "string",
  placeholder: "AGENT",
  values: agentsWithCredentials,
  help: "of this agent only",
}

/** What can be done about agents on this machine without a daemon. */
export const agentCommands: readonly Command[] = [
  {
    words: ["install-agent"],
    aliases: [["agents", "install"]],
    summary: "Install an agent, or all of them; needs no daemon",
    description: `Takes the newest version from the package registry, else from the vendor's own download, checks digest and version, and puts it into <data-dir>/bin, where the daemon finds it; a running one needs no restart. No Node or npm is needed. What is there already is not downloaded again, and an agent on PATH is used as it is, unless --reinstall is given. \`all\` are ${[...installTable.keys()].join(", ")}; it goes on after a failure, and the exit code is that of the first one. Agents that were added are installed by their id, too. Progress goes to stderr, the result to stdout: agent, version, source and path, with tabs between them in a pipe. With --json each line of stdout is an object: install.progress, then install.done or error. Ctrl-C leaves what was there before. Behind a firewall: a registry in ~/.npmrc, or the mirrors of \`help environment\`. With --endpoint or SANDBOX_AGENT_URL it is the daemon there that installs.`,
    arguments: [{ name: "agent", values: [...installable(builtinEntries).keys(), "all"] }],
    flags: [
      { name: "reinstall", type: "boolean", help: "download even if it is installed" },
      { name: "version", type: "string", placeholder: "V", help: "exact version, such as 1.2.3 (default: the newest)" },
      dataDirFlag,
      ...endpointFlags,
      { ...jsonFlag, help: "one JSON object per line" },
    ],
    examples: [
      "sandbox-agent install-agent claude",
      "sandbox-agent install-agent codex --version 0.166.0",
      "sandbox-agent install-agent all --json | jq -r 'select(.type == \"install.done\") | .path'",
    ],
    load: async () => (await import("./install-agent.ts")).installAgentCommand,
  },
  {
    words: ["agents", "add"],
    summary: "Add an agent that speaks ACP",
    description:
      "Takes an entry of the ACP registry as JSON, a file with one (or the registry's own file; --id names one of it), or a command that speaks ACP over stdio: the whole command after --, with its id in front of it or as --id. It is kept in <data-dir>/agents.json. A daemon that runs on this data directory knows it at once, and installs it with its first session. An agent that is there already is replaced; `agents remove` takes it away. Of the daemon's environment it sees what every agent sees (PATH, HOME, proxies, …) and the variables that are named here or in its entry: no other agent's logins.",
    arguments: [{ name: "entry", help: "JSON, file or command", many: true }],
    flags: [
      { name: "id", type: "string", placeholder: "ID", help: "its id in the API (default: that of the entry)" },
      { name: "name", type: "string", placeholder: "NAME", help: "its display name" },
      { name: "login", type: "list", placeholder: "VARIABLE", help: "a variable that logs it in" },
      {
        name: "sessions",
        type: "string",
        placeholder: "one|directory|many",
        help: "which sessions share a process: none, those of one directory (default), or all",
      },
      {
        name: "variable",
        type: "list",
        placeholder: "VARIABLE",
        help: "another variable that it sees; MY_* for all with that prefix",
      },
      dataDirFlag,
      jsonFlag,
    ],
    examples: [
      "sandbox-agent agents add --id my-agent --login MY_AGENT_KEY -- /opt/my-agent/bin/agent --acp",
      "sandbox-agent agents add ./agent.json",
      'sandbox-agent agents add \'{"id":"x","name":"X","distribution":{"npx":{"package":"x-acp@1.0.0"}}}\'',
    ],
    load: async () => (await import("./agents-add.ts")).agentsAdd,
  },
  {
    words: ["agents", "remove"],
    summary: "Remove an agent that was added",
    description: "Its sessions stay and can be read; they can continue when it is added again.",
    arguments: [{ name: "agent" }],
    flags: [dataDirFlag],
    load: async () => (await import("./agents-add.ts")).agentsRemove,
  },
  {
    words: ["credentials", "extract"],
    summary: "Show the credentials of agents that this machine has",
    description:
      "Looks into the variables and files that the agents themselves read; runs nothing and changes nothing. For each one: agent, provider, kind, the secret (only its ends, unless --reveal is given), where it came from, and when it ends. The first of a provider is the one the agent uses. Notes tell what could not be read and what works without a secret. Finding nothing is no error: the exit code is 0.",
    arguments: [],
    flags: [agentFlag, { name: "reveal", type: "boolean", help: "show the secrets in full" }, jsonFlag],
    examples: [
      "sandbox-agent credentials extract",
      "sandbox-agent credentials extract --agent claude --reveal --json | jq -r '.agents[].credentials[0].value'",
    ],
    load: async () => (await import("./credentials.ts")).credentialsExtract,
  },
  {
    words: ["credentials", "extract-env"],
    summary: "Print the credentials as environment variables, secrets in clear",
    description:
      "Lines for a shell, NAME='value', to give another machine or a container what this one has. The first found for a name stays. What no variable can carry, such as some logins, is reported on stderr.",
    arguments: [],
    flags: [agentFlag, { name: "export", type: "boolean", help: "put `export` in front of each line" }],
    examples: [
      'eval "$(sandbox-agent credentials extract-env --export)"',
      "sandbox-agent credentials extract-env --agent claude > agent.env && chmod 600 agent.env",
    ],
    load: async () => (await import("./credentials.ts")).credentialsExtractEnv,
  },
  {
    words: ["conformance"],
    summary: "Check an agent against the conformance suite",
    description:
      "Starts a daemon of its own on data of its own, installs the agent if it is missing, and runs every scenario of the suite on the real agent through the API; only its model is replaced, by a script, so no account is needed and nothing is spent. With --live it is the real model, with the credentials of this machine: that costs tokens, and what no prompt can bring about is skipped; so any agent that speaks ACP can be checked, also one that was added, for what it declares. Each line is a requirement: its id, passed, failed or skipped, and the scenario, the error or the reason. A capability that is declared and fails, or is not declared and works, is a failure. The exit code is 0 when nothing failed, else 1.",
    arguments: [
      {
        name: "agent",
        values: [...nativeAgents.filter(({ isScripted }) => isScripted), ...provenEntries]
          .map(({ id }) => id)
          .sort((a, b) => (a < b ? -1 : 1)),
      },
    ],
    flags: [
      { name: "live", type: "boolean", help: "real models, with the credentials of this machine" },
      {
        name: "face",
        type: "string",
        placeholder: "FACE",
        values: ["universal", "acp"],
        help: "protocol of the scenarios: REST, or ACP with the transcripts of both compared",
      },
      { ...dataDirFlag, help: "where the agent is installed" },
      { ...jsonFlag, help: "the report as one JSON object" },
    ],
    examples: [
      "sandbox-agent conformance mock",
      "sandbox-agent conformance claude --json | jq -r '.results[] | select(.status == \"failed\")'",
      "sandbox-agent conformance claude --live",
      "sandbox-agent conformance my-agent --live",
      "sandbox-agent conformance codex --face acp",
    ],
    load: async () => (await import("./conformance.ts")).conformanceCommand,
  },
]
