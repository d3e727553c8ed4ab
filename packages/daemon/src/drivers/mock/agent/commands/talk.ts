import { BadArguments, type Command, firstWord, required } from "./command.ts"

export const echo: Command = {
  hint: "TEXT",
  description: "Says the text in one block",
  run: (text, turn) => turn.say(required(text, "TEXT")),
}

export const think: Command = {
  hint: "TEXT",
  description: "Thinks the text",
  run: (text, turn) => turn.stream("reasoning", required(text, "TEXT")),
}

export const tool: Command = {
  hint: "NAME JSON",
  description: "Calls a tool that returns its arguments",
  run(argument, turn) {
    const [name, rest] = firstWord(argument)
    const json = rest.trim()
    required(name, "NAME")
    if (!isJson(json)) throw new BadArguments("The arguments are not JSON.")
    const call = turn.blocks.call({ name, tool: "other", arguments: json })
    turn.blocks.result(call, { text: json })
  },
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
