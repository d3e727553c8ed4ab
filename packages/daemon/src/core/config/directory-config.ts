import { randomBytes } from "node:crypto"
import type { McpConfig, SkillsConfig } from "@sandbox-agent/schema/config"
import type { Context } from "../context.ts"
import { deleteEntry, readEntries, readEntry, writeEntry } from "./entries.ts"
import { checkedMcp, hiddenMcp } from "./mcp-config.ts"
import { tidySources } from "./skill-sources.ts"
import { checkedSkills, type StoredSkills } from "./skills-config.ts"

/** What is configured for directories, as clients read and change it. */
export class DirectoryConfig {
  constructor(private readonly context: Context) {
    this.#tidy()
  }

  async mcp(directory: string, name?: string) {
    if (name !== undefined) return hiddenMcp(await readEntry<McpConfig>(this.context, "mcp", directory, name))
    const servers = await readEntries<McpConfig>(this.context, "mcp", directory)
    return { servers: servers.map((one) => ({ name: one.name, config: hiddenMcp(one.config) })) }
  }

  setMcp(directory: string, name: string, config: McpConfig): Promise<void> {
    return writeEntry<McpConfig>(this.context, "mcp", directory, name, (before) => checkedMcp(config, before))
  }

  deleteMcp(directory: string, name: string): Promise<void> {
    return deleteEntry(this.context, "mcp", directory, name)
  }

  async skills(directory: string, name?: string) {
    const shown = ({ stamp: _, ...config }: StoredSkills): SkillsConfig => config
    if (name !== undefined) return shown(await readEntry<StoredSkills>(this.context, "skills", directory, name))
    const entries = await readEntries<StoredSkills>(this.context, "skills", directory)
    return { entries: entries.map((one) => ({ name: one.name, config: shown(one.config) })) }
  }

  async setSkills(directory: string, name: string, config: SkillsConfig): Promise<void> {
    const stamp = randomBytes(8).toString("hex")
    await writeEntry<StoredSkills>(this.context, "skills", directory, name, () => ({ ...checkedSkills(config), stamp }))
    this.#tidy()
  }

  async deleteSkills(directory: string, name: string): Promise<void> {
    await deleteEntry(this.context, "skills", directory, name)
    this.#tidy()
  }

  #tidy(): void {
    tidySources(this.context).catch((error: unknown) =>
      this.context.log("warn", "sources of skills that nobody uses were not removed", { error: String(error) }),
    )
  }
}
