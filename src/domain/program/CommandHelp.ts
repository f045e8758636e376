/** The texts about the commands, which come from their declarations. */
import { suggestion } from "../tools/text/Nearest.ts"
import { programCommand } from "../workspace/ProgramCommand.ts"
import { type CommandName, commands, isCommand } from "./Commands.ts"

const names = Object.keys(commands).filter(isCommand)

const width = 100

/** The lines of a text, each with an indentation and at most 100 characters long, unless a word is longer. */
const wrapped = (text: string, indent: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`${indent}${word}`)
  }
  return lines
}

/** The ways to call a command, such as `invite --end <code>`. */
const callsOf = (name: CommandName): ReadonlyArray<string> =>
  commands[name].arguments.split(" | ").map((given) => given === "" ? name : `${name} ${given}`)

/** How to call a command, in one line: the message about wrong arguments. */
export const usageOf = (name: CommandName): string => `Usage: ${callsOf(name).map(programCommand).join(", or ")}`

/** All commands, each with what it does. */
export const usage: string = [
  `Usage: ${programCommand("[command] [arguments]")}`,
  "",
  ...names.flatMap((name) => [...callsOf(name).map((call) => `  ${call}`), ...wrapped(commands[name].summary, "            ")]),
  "",
  "\"help <command>\" says more about one. Settings are environment variables; docs/operations.md lists them, and \"config\" shows",
  "those in effect."
].join("\n")

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

export const helpOf = (name: CommandName): string => {
  const { details, settings, summary } = commands[name]
  const ways = callsOf(name).map((call, at) => `${at === 0 ? "Usage:" : "      "} ${programCommand(call)}`)
  return [
    ...ways,
    "",
    ...wrapped(`${sentence(summary)}${details === "" ? "" : ` ${details}`}`, ""),
    ...(settings.length === 0
      ? []
      : ["", ...wrapped(`Settings: ${settings.join(", ")}. docs/operations.md describes them and all others.`, "")])
  ].join("\n")
}

/** In one line. */
export const unknownCommand = (word: string): string => {
  const meant = suggestion(word, names)
  const known = `Use one of ${names.join(", ")}; "${programCommand("help")}" describes them.`
  return `Unknown command "${word}"${meant === "" ? "." : meant} ${known}`
}

/** A command that takes no arguments got one. */
export const unknownArgument = (name: CommandName, word: string): string => `Unknown argument "${word}". ${usageOf(name)}`

/** The rows of the table in docs/operations.md: the call and what it does. */
export const commandRows: ReadonlyArray<readonly [string, string]> = names.map((name) => [
  callsOf(name).map((call) => `\`belltower ${call}\``).join(", "),
  commands[name].summary
])
