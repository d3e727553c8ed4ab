import { apiCommands } from "./api-commands.ts"
import { didYouMean } from "./closest.ts"
import { argumentText, type Command, matchCommand } from "./command.ts"
import { builtinCommands } from "./commands.ts"
import { commandHelp, section } from "./help-text.ts"
import { type Topic, topicHelp, topics } from "./help-topics.ts"
import { out, type Paint, paintFor, terminalOf } from "./print.ts"
import { UsageError } from "./usage.ts"
import { version } from "./version.ts"

const otherNames = new Set(builtinCommands.flatMap(({ aliases = [] }) => aliases.map((words) => words.join(" "))))

/** Endpoints whose words mean a command of ours are reached by `api` in front of them. */
const apiAlone = apiCommands.filter(({ words }) => !otherNames.has(words.join(" ")))

export const allCommands: readonly Command[] = [...builtinCommands, ...apiAlone]

/** First words of commands that have a second one. */
export const groups = (commands: readonly Command[]): string[] => [
  ...new Set(commands.filter((c) => c.words.length > 1).map((c) => c.words[0] ?? "")),
]

const maxWidth = 110

/** The help for some words: a command, a group, a topic, or all of it. */
export function helpFor(words: readonly string[], paint: Paint, width: number): string {
  const asked = words[0] === "api" ? words.slice(1) : words
  if (asked.length === 0) return words[0] === "api" ? apiHelp(paint, width) : mainHelp(paint, width)
  const topic = topics.find((name) => asked.length === 1 && asked[0] === name)
  if (topic) return topicHelp(topic satisfies Topic, paint, width)
  const found = matchCommand(allCommands, asked)
  if (found) return commandHelp(found.command, paint, width)
  const [group = "", command] = asked
  const members = allCommands.flatMap((c) => [c, ...otherwise(c)]).filter((c) => c.words[0] === group)
  if (members.length === 0) throw unknownCommand(group)
  if (command !== undefined) throw unknownIn(group, command, members)
  return groupHelp(group, members, paint, width)
}

/** The same command by each of its other names that stands in another group. */
const otherwise = (command: Command): Command[] =>
  (command.aliases ?? []).flatMap((words) =>
    words[0] === command.words[0]
      ? []
      : { ...command, words, arguments: command.arguments, flags: command.flags, aliases: [command.words] },
  )

export const unknownCommand = (word: string): UsageError =>
  new UsageError(
    `unknown command \`${word}\`${didYouMean(word, new Set([...allCommands.map((c) => c.words[0] ?? ""), "version"]))}`,
  )

export const unknownIn = (group: string, word: string, members: readonly Command[]): UsageError => {
  const names = members.flatMap((c) => [c.words, ...(c.aliases ?? [])]).map((words) => words[1] ?? "")
  return new UsageError(`unknown command \`${group} ${word}\`${didYouMean(word, names, `${group} `)}`, [group])
}

const row = (command: Command): readonly [string, string] => [
  [...command.words, ...command.arguments.map(argumentText)].join(" "),
  [command.summary, ...(command.aliases ?? []).map((words) => `(also \`${words.join(" ")}\`)`)].join(" "),
]

/** The page of the first hour: what is used every day, what runs the daemon, the rest. */
function mainHelp(paint: Paint, width: number): string {
  const everyday = pick(everydayWords)
  const daemon = builtinCommands.filter(({ words }) => words[0] === "daemon" || words[0] === "server")
  const more = builtinCommands.filter((command) => !everyday.includes(command) && !daemon.includes(command))
  return [
    `${paint("bold", "sandbox-agent")} ${version}: coding agents behind one HTTP API\n`,
    `${paint("bold", "Usage:")} sandbox-agent <command> [arguments] [flags]\n       sandbox-agent --port 2468 …   (flags alone mean \`server\`)\n`,
    section("Every day", everyday.map(row), paint, width),
    section("The daemon", daemon.map(row), paint, width),
    section("More", more.map(row), paint, width),
    `${paint("bold", "The API")}, every endpoint as a command (\`sandbox-agent help api\`):\n  ${groups(apiCommands).join(", ")}\n`,
    section(
      "Everywhere",
      [
        ["-h, --help", "help for what stands before it"],
        ["-V, --version", "the version"],
      ],
      paint,
      width,
    ),
    `${paint("bold", "Examples:")}\n${examples.map((line) => `  ${line}\n`).join("")}`,
    "More: sandbox-agent help <command>, help api, help exit-codes, help environment\n",
  ].join("\n")
}

const everydayWords = ["run", "chat", "attach", "sessions list", "agents list", "install-agent", "doctor"]

const pick = (names: readonly string[]): Command[] =>
  names.flatMap((name) => allCommands.find(({ words }) => words.join(" ") === name) ?? [])

const examples = [
  'sandbox-agent run claude "explain this repository"',
  "sandbox-agent chat codex",
  "sandbox-agent daemon start",
  "sandbox-agent sessions create my-session --agent claude",
  'sandbox-agent sessions stream-message my-session "fix the failing test"',
  "sandbox-agent attach my-session",
]

const apiSections = (paint: Paint, width: number): string =>
  groups(apiCommands)
    .map((group) => section(`API, ${group}`, apiCommands.filter((c) => c.words[0] === group).map(row), paint, width))
    .join("\n")

function apiHelp(paint: Paint, width: number): string {
  const intro = `Every endpoint is a command; the word \`api\` may be left out. The daemon is the one at --endpoint, on --data-dir or at
SANDBOX_AGENT_URL, else the one \`daemon start\` started, else http://127.0.0.1:2468. In a pipe lists are one row per line with tabs between cells;
--json prints what the daemon answered.\n`
  return `${intro}\n${apiSections(paint, width)}`
}

const groupHelp = (group: string, members: readonly Command[], paint: Paint, width: number): string =>
  `${section(group, members.map(row), paint, width)}\nMore: sandbox-agent help ${group} <command>\n`

export async function helpCommand(argv: string[]): Promise<number> {
  const words = argv.filter((word) => !word.startsWith("-"))
  await out(rendered(words))
  return 0
}

export function rendered(words: readonly string[], stream: NodeJS.WriteStream = process.stdout): string {
  const terminal = terminalOf(stream)
  return helpFor(words, paintFor(terminal), Math.min(maxWidth, terminal.tty ? terminal.width : maxWidth))
}
