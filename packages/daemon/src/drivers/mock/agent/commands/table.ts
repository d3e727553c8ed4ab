import { plan, question, questions } from "./ask.ts"
import { background, grandchild, subagent } from "./children.ts"
import type { Command } from "./command.ts"
import { edit } from "./edit.ts"
import { crash, error, exit, garbage, hang, unknown } from "./faults.ts"
import { image } from "./image.ts"
import { sleep, title, todo, usage as usageCommand } from "./report.ts"
import { permission, run } from "./shell.ts"
import { flood, stream } from "./stream.ts"
import { echo, think, tool } from "./talk.ts"

/** Every command, in the order they are shown. Outside tests rely on exactly these. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    echo,
    stream,
    flood,
    think,
    tool,
    edit,
    run,
    permission,
    question,
    questions,
    plan,
    todo,
    usage: usageCommand,
    subagent,
    image,
    title,
    sleep,
    error,
    garbage,
    unknown,
    crash,
    exit,
    hang,
    grandchild,
    background,
  }),
)

export const usage = (name: string): string => `/${name} ${commands.get(name)?.hint ?? ""}`.trimEnd()

/** As told to clients, who may offer them to a person. */
export const commandList = [...commands].map(([name, { description, hint }]) => ({
  name,
  description,
  ...(hint === "" ? {} : { hint }),
}))
