import type { Query } from "../http/address.ts"
import type { CallOptions, Http } from "../http/http.ts"
import type { components } from "../openapi.gen.ts"
import type { BodyOf } from "../types.ts"

type Schemas = components["schemas"]

/** MCP servers and skills of a directory, for every session created there. */
export class Config {
  readonly #http: Http

  /** @internal */
  constructor(http: Http) {
    this.#http = http
  }

  listMcp(directory: string, options?: CallOptions): Promise<Schemas["McpServerList"]> {
    return this.#read("/v1/config/mcp", { directory }, options)
  }
  getMcp(directory: string, mcpName: string, options?: CallOptions): Promise<Schemas["McpServerConfig"]> {
    return this.#read("/v1/config/mcp", { directory, mcpName }, options)
  }
  setMcp(directory: string, mcpName: string, server: BodyOf<"setMcpConfig">, options?: CallOptions): Promise<void> {
    return this.#change("PUT", "/v1/config/mcp", { directory, mcpName }, server, options)
  }
  deleteMcp(directory: string, mcpName: string, options?: CallOptions): Promise<void> {
    return this.#change("DELETE", "/v1/config/mcp", { directory, mcpName }, undefined, options)
  }

  listSkills(directory: string, options?: CallOptions): Promise<Schemas["SkillsList"]> {
    return this.#read("/v1/config/skills", { directory }, options)
  }
  getSkills(directory: string, skillName: string, options?: CallOptions): Promise<Schemas["SkillsConfig"]> {
    return this.#read("/v1/config/skills", { directory, skillName }, options)
  }
  setSkills(
    directory: string,
    skillName: string,
    skills: BodyOf<"setSkillsConfig">,
    options?: CallOptions,
  ): Promise<void> {
    return this.#change("PUT", "/v1/config/skills", { directory, skillName }, skills, options)
  }
  deleteSkills(directory: string, skillName: string, options?: CallOptions): Promise<void> {
    return this.#change("DELETE", "/v1/config/skills", { directory, skillName }, undefined, options)
  }

  #read<T>(path: string, query: Query, options?: CallOptions): Promise<T> {
    return this.#http.json({ ...options, what: "Reading the config of a directory", method: "GET", path, query })
  }
  async #change(method: "PUT" | "DELETE", path: string, query: Query, json: unknown, options?: CallOptions) {
    await this.#http.head({
      ...options,
      what: "Changing the config of a directory",
      method,
      path,
      query,
      json,
      slow: true,
    })
  }
}
