/** Every config call of the public SDK, as its users have it: node public-sdk-config.mjs SDK URL TOKEN DIRECTORY */
const [sdkPath, baseUrl, token, directory] = process.argv.slice(2)
const { SandboxAgent } = await import(sdkPath)
const sdk = await SandboxAgent.connect({ baseUrl, token })
const failure = (error) => ({ status: error.status, type: error.problem?.type })
const results = {}

const mcp = { directory, mcpName: "files" }
const local = {
  type: "local",
  command: process.execPath,
  args: ["--version"],
  cwd: directory,
  enabled: true,
  env: { KEY: "zebra" },
  timeoutMs: null,
}
results.setMcp = await sdk.setMcpConfig(mcp, local)
results.getMcp = await sdk.getMcpConfig(mcp)
// As an editor of settings does: what was read is written back.
await sdk.setMcpConfig(mcp, results.getMcp)
const remote = {
  type: "remote",
  url: "http://127.0.0.1:9/mcp",
  headers: { "x-key": "zebra" },
  envHeaders: null,
  bearerTokenEnvVar: null,
  oauth: null,
  transport: "sse",
  enabled: false,
  timeoutMs: 1000,
}
await sdk.setMcpConfig({ directory, mcpName: "web" }, remote)
results.getRemote = await sdk.getMcpConfig({ directory, mcpName: "web" })

const skills = { directory, skillName: "ours" }
const sources = [{ type: "local", source: "skills", ref: null, skills: ["one"], subpath: null }]
results.setSkills = await sdk.setSkillsConfig(skills, { sources })
results.getSkills = await sdk.getSkillsConfig(skills)
results.deleteSkills = await sdk.deleteSkillsConfig(skills)
results.noSkills = await sdk.getSkillsConfig(skills).catch(failure)

const session = await sdk.createSession({ agent: "puppet", cwd: directory })
let said = ""
session.onEvent(({ payload }) => {
  const update = payload.params?.update
  if (update?.sessionUpdate === "agent_message_chunk") said += update.content.text
})
await session.prompt([{ type: "text", text: JSON.stringify([{ wholeServers: true }]) }])
results.servers = JSON.parse(said)

results.deleteMcp = await sdk.deleteMcpConfig(mcp)
results.noMcp = await sdk.getMcpConfig(mcp).catch(failure)
console.log(JSON.stringify(results))
await sdk.dispose()
process.exit(0)
