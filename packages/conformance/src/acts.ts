/** For each thing the agent is to do, the message that makes it do so. A missing one is an agent that cannot. */
export interface Acts {
  /** Answers with exactly this text, streamed. */
  say(text: string): Text
  /** Thinks this, then says something. */
  think?(text: string): Text
  /** Calls some harmless tool of its own. */
  tool?(): Text
  /** Runs the command; asks first where its permission mode says so. */
  run?(command: string): Text
  /** Runs the command, and in permission mode `default` asks for it. */
  askToRun?(command: string): Text
  /** Writes the file. */
  write?(path: string, text: string): Text
  /** Where `write` does not ask. */
  askToWrite?(path: string, text: string): Text
  /** Asks one question with choices. */
  question?(): Text
  /** Asks several at once: with choices, with several choices, with free text. */
  questions?(): Text
  /** Asks for approval of a plan. */
  plan?(): Text
  /** Works through a list of entries. */
  todo?(): Text
  /** Reports tokens. */
  usage?(): Text
  /** Gives a task to a sub-agent that calls a tool. */
  subagent?(): Text
  /** Streams text until it is interrupted. */
  longText?(): Text
  /** The same with a tool after a moment, where a steered message finds its way in. */
  steerable?(): Text
  /** Runs the command, which does not end. */
  longRun?(command: string): Text
  /** Ends the turn with an error of its own. */
  fail?(text: string): Text
  /** Tells something of its own life that is no answer. */
  note?(): Text
  /** Calls the tool `ping` of the MCP server `probe`. */
  mcpTool?(): Text
  /** Says the media type of the image that came with the message, such as `image/png`. */
  look?(): Text
  /** Says this text if it stands earlier in the conversation, else something else. */
  recall?(text: string): Text
  /** Says the one of these that its model was given with the message, if any. */
  sees?(texts: readonly string[]): Text
  /** Says this text if its model is told of the skill by it, else something else. */
  offers?(skill: string, text: string): Text
  /** Says the agent mode that its model was told of. */
  whichMode?(): Text
  /** Says the model that answers. */
  whichModel?(): Text
  /** Says the effort the model was asked for. */
  whichVariant?(): Text
  /** Its model refuses the key, however often it is asked. */
  unauthorized?(): Text
  /** Its model has no time at first, then says this. */
  overloaded?(text: string): Text
  /** The answer of its model is cut in the middle; asked again, it says this. */
  cut?(text: string): Text
}

type Text = string | Promise<string>
