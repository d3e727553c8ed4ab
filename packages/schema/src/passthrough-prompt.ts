/** What a client said in the agent's own protocol, until the agent has it: it gets it as it was. */
export interface PassthroughPrompt {
  blocks: readonly PassthroughBlock[]
  /** What else the request said. */
  params: Readonly<Record<string, unknown>>
}

/** A content block; its bytes stand in one of the message's attachments. */
export interface PassthroughBlock {
  block: Readonly<Record<string, unknown>>
  attachment?: number
}
