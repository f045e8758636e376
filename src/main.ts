/** The program: one process for everything, or one part of a larger deployment. Answers by itself only what needs no settings. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Predicate } from "effect"
import { programVersion } from "../schema/ProgramVersion.ts"
import { logFormatOf, sayFailure, withoutNodesText } from "./deployment/Output.ts"
import { helpOf, unknownCommand, usage } from "./domain/program/CommandHelp.ts"
import { type CommandName, isCommand } from "./domain/program/Commands.ts"
import { BadSetting } from "./settings/BadSetting.ts"

/** The format of what is written before the settings are read, and if they cannot be. */
const format = logFormatOf(process.env)

const refused = (message: string) => Effect.fail(new BadSetting({ message }))

const run = (word: CommandName, rest: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(() => import("./commands/RunCommand.ts").then(({ runCommand }) => runCommand)),
    (runCommand) => runCommand(word, rest, process.env)
  )

const asksForHelp = (word: string): boolean => word === "--help" || word === "-h"

const program = Effect.gen(function*() {
  yield* withoutNodesText(format)
  const [word = "all", ...rest] = process.argv.slice(2)
  if (word === "--version") return yield* Console.log(programVersion)
  const subject = word === "help" ? rest[0] : asksForHelp(word) ? undefined : word
  if (subject === undefined) return yield* Console.log(usage)
  if (!isCommand(subject)) return yield* refused(unknownCommand(subject))
  return yield* word === "help" || rest.some(asksForHelp) ? Console.log(helpOf(subject)) : run(subject, rest)
})

const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const inner = cause.cause instanceof Error ? cause.cause.message : ""
  // The message of a failed statement is the same for all; the database says why.
  const outer = Predicate.isTagged(cause, "SqlError") ? "" : cause.message
  return [outer, inner].find((text) => text !== "" && text !== "An error has occurred") ?? cause.name
}

/** Prints a failed start as one line. Other failures are logged where they happen. */
const reported = program.pipe(
  Effect.sandbox,
  Effect.catchAll((cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.failCause(cause)
      : Effect.zipRight(sayFailure(format, messageOf(Cause.squash(cause))), Effect.fail("stopped"))
  ),
  // On hot paths, spans cost more than the work itself.
  Effect.withTracerEnabled(false)
)

/** Commands of clients end with an exit code of their own. */
const codeOf = (result: unknown): number => (typeof result === "number" ? result : 0)

NodeRuntime.runMain(reported, {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? codeOf(exit.value) : Cause.isInterruptedOnly(exit.cause) ? 0 : 1)
})
