/** The program's output to stdout and stderr: text for people, or always a JSON object on each line. */
import { Cause, Console, Effect, FiberRef, HashSet, type Layer, Logger, Runtime } from "effect"
import { withIds } from "./LogIds.ts"

export type LogFormat = "json" | "pretty"

/** The format of all output, which is known before the other settings: one of them may be what is to be reported. */
export const logFormatOf = ({ BELLTOWER_LOG_FORMAT: given }: Readonly<Record<string, string | undefined>>): LogFormat =>
  given === "json" ? "json" : "pretty"

/** `toStderr`: for commands whose stdout is read by scripts. */
export const loggerOf = (format: LogFormat, toStderr: boolean): Layer.Layer<never> =>
  format === "json"
    ? toStderr ? jsonToStderr : logged(Logger.withConsoleLog(Logger.jsonLogger))
    : logged(Logger.prettyLogger({ stderr: toStderr }))

const logged = <A>(logger: Logger.Logger<unknown, A>): Layer.Layer<never> => Logger.replace(Logger.defaultLogger, withIds(logger))

const stderrLogger = Logger.withConsoleError(Logger.jsonLogger)
const jsonToStderr = logged(stderrLogger)

/** Writes a text for people, or what it says as log lines. */
export const say = (format: LogFormat, text: string, lines: ReadonlyArray<string> = text.split("\n")): Effect.Effect<void> =>
  format === "json" ? Effect.forEach(lines, (line) => Effect.logInfo(line), { discard: true }) : Console.log(text)

/** Writes why the program ends to stderr, as one line: the loggers of a start that failed may still be there. */
export const sayFailure = (format: LogFormat, message: string): Effect.Effect<void> =>
  format === "json"
    ? Effect.locally(Effect.logFatal(message), FiberRef.currentLoggers, HashSet.make(withIds(stderrLogger)))
    : Console.error(`belltower: ${message}`)

const linesOf = Effect.provide(Effect.runtime<never>(), jsonToStderr)

/** Replaces the text that Node writes about warnings and crashes. */
export const withoutNodesText = (format: LogFormat): Effect.Effect<void> =>
  format !== "json" ? Effect.void : Effect.map(linesOf, (runtime) => {
    const write = Runtime.runSync(runtime)
    process.removeAllListeners("warning").on("warning", ({ message, name }) => write(Effect.logWarning(`${name}: ${message}`)))
    process.on("uncaughtException", (error) => {
      write(Effect.logFatal("The process crashed", Cause.die(error)))
      process.exit(1)
    })
  })
