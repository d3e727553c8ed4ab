const local = {
  type: "local",
  command: "npx",
  args: ["-y", "@acme/mcp-tickets"],
  env: { TICKETS_TOKEN: "secret" },
  timeoutMs: 30_000,
}
const remote = { type: "remote", url: "https://mcp.example.com/mcp", bearerTokenEnvVar: "DOCS_TOKEN" }
const hidden = { ...local, env: { TICKETS_TOKEN: "********" } }
const skills = { sources: [{ type: "github", source: "acme/skills", ref: "v2", skills: ["release-notes"] }] }

/** What the parts that are about the config of directories look like. */
export const configExamples: Readonly<Record<string, readonly unknown[]>> = {
  McpConfigRequest: [local, remote],
  McpServerConfig: [hidden, remote],
  McpServerList: [{ servers: [{ name: "tickets", config: hidden }] }],
  SkillsConfigRequest: [
    skills,
    { sources: [{ type: "local", source: "tools/skills" }] },
    {
      sources: [
        {
          type: "inline",
          source: "release-notes",
          files: { "SKILL.md": "---\nname: release-notes\ndescription: Writes release notes\n---\nRun notes.sh." },
        },
      ],
    },
  ],
  SkillsConfig: [skills],
  SkillsList: [{ entries: [{ name: "ours", config: skills }] }],
}
