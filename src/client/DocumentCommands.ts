/** The commands that keep a workspace in a file, as clients of a server: `belltower apply` and `belltower export`. */
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Config, Console, Data, Effect, Either, Option, Redacted, Schedule, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { LineCounter, parseDocument } from "yaml"
import { InvalidField } from "../../schema/Errors.ts"
import { Plan } from "../../schema/plan/Plan.ts"
import { fillIn } from "../domain/plan/FillIn.ts"
import { planLines } from "../domain/plan/PlanText.ts"
import { usageOf } from "../domain/program/CommandHelp.ts"
import { withoutTrailing } from "../domain/tools/text/TrimText.ts"
import { yamlProblem } from "../domain/tools/text/YamlProblem.ts"

/** The command failed; `message` says why in one line. */
class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly message: string }> {}

/** `--check` found differences. Failures end with 1. */
const differenceCode = 2

const server = Config.all({
  url: Config.string("BELLTOWER_URL").pipe(Config.withDefault("http://localhost:8080")),
  key: Config.redacted("BELLTOWER_API_KEY"),
  plainText: Config.option(Config.string("NO_COLOR")),
  forced: Config.option(Config.string("FORCE_COLOR"))
})

const Refused = Schema.Struct({
  error: Schema.Struct({
    message: Schema.String,
    hint: Schema.optional(Schema.String),
    details: Schema.optional(Schema.Array(InvalidField))
  })
})

/** A line for each field; without the message if the refusal itself has it. */
const detailsText = (details: ReadonlyArray<InvalidField>, said: string): string =>
  details.flatMap(({ message, path }) =>
    said === `${path}: ${message}` ? [] : [`\n  ${path}${message === said ? "" : `: ${message}`}`]
  ).join("")

const refusal = (response: HttpClientResponse.HttpClientResponse) =>
  HttpClientResponse.schemaBodyJson(Refused)(response).pipe(
    Effect.map(({ error: { details = [], hint, message } }) =>
      `${message}${hint === undefined ? "" : `. ${hint}`}${detailsText(details, message)}`
    ),
    Effect.orElseSucceed(() => `The server answered with status ${response.status}`),
    Effect.flatMap((message) => new CommandFailed({ message }))
  )

/** Lost connections and a server that restarts: a plan that was applied meanwhile answers the same again. */
const again = Schedule.exponential("1 second").pipe(Schedule.intersect(Schedule.recurs(4)))

const makeCall = Effect.gen(function*() {
  const client = yield* HttpClient.HttpClient
  const { key, url } = yield* Effect.mapError(
    server,
    () => new CommandFailed({ message: "Set BELLTOWER_API_KEY to a key with the write scope" })
  )
  const base = `${withoutTrailing(url, "/")}/api/v1`
  return (request: HttpClientRequest.HttpClientRequest) =>
    client.execute(request.pipe(HttpClientRequest.prependUrl(base), HttpClientRequest.bearerToken(Redacted.value(key)))).pipe(
      Effect.mapError(() => new CommandFailed({ message: `${base} cannot be reached` })),
      Effect.flatMap((response) =>
        response.status === 503
          ? Effect.fail(new CommandFailed({ message: "The server is unavailable" }))
          : Effect.succeed(response)
      ),
      Effect.retry(again),
      Effect.flatMap((response) => response.status < 300 ? Effect.succeed(response) : refusal(response))
    )
})

const unreadable = (what: string) => () => new CommandFailed({ message: `${what} cannot be read` })

const planIn = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.mapError(HttpClientResponse.schemaBodyJson(Plan)(response), unreadable("The server's answer"))

type Environment = Readonly<Record<string, string | undefined>>

/** The document of a file, with the values of the environment in it. */
const documentOf = Effect.fnUntraced(function*(file: string, environment: Environment) {
  const text = yield* Effect.tryPromise({ try: () => readFile(file, "utf8"), catch: unreadable(file) })
  const lineCounter = new LineCounter()
  const parsed = parseDocument(text, { merge: true, lineCounter })
  const problem = yamlProblem(parsed, lineCounter)
  if (problem !== null) return yield* new CommandFailed({ message: `${file}: ${problem}` })
  const value: unknown = parsed.toJS()
  const filled = fillIn(value, environment)
  return filled.missing.length > 0
    ? yield* new CommandFailed({ message: `${file} uses ${filled.missing.join(", ")}; set them in the environment` })
    : JSON.stringify(filled.value)
})

const usage = usageOf("apply")

const flags = (rest: ReadonlyArray<string>): Either.Either<{ file: string; check: boolean; prune: boolean }, CommandFailed> => {
  const files = rest.filter((word) => !word.startsWith("--"))
  const unknown = rest.find((word) => word.startsWith("--") && word !== "--check" && word !== "--prune")
  const [file] = files
  return file === undefined || files.length > 1 || unknown !== undefined
    ? Either.left(new CommandFailed({ message: unknown === undefined ? usage : `Unknown option ${unknown}. ${usage}` }))
    : Either.right({ file, check: rest.includes("--check"), prune: rest.includes("--prune") })
}

const colours = Effect.map(
  Effect.option(server),
  Option.match({
    onNone: () => false,
    onSome: ({ forced, plainText }) => Option.isNone(plainText) && (Option.isSome(forced) || process.stdout.isTTY)
  })
)

const applyFile = Effect.fn("DocumentCommands.apply")(function*(rest: ReadonlyArray<string>, environment: Environment) {
  const { check, file, prune } = yield* flags(rest)
  const document = yield* documentOf(file, environment)
  const call = yield* makeCall
  const body = HttpClientRequest.bodyText(JSON.stringify({ document, prune }), "application/json")
  const plan = yield* Effect.flatMap(call(body(HttpClientRequest.post("/plan"))), planIn)
  yield* Effect.forEach(planLines(plan, yield* colours), (line) => Console.log(line), { discard: true })
  if (plan.changes.length === 0) return 0
  if (check) return differenceCode
  // The plan was shown, with what it deletes.
  const applying = HttpClientRequest.bodyText(JSON.stringify({ count: plan.delete }), "application/json")
  yield* Effect.flatMap(call(applying(HttpClientRequest.post(`/plan/${plan.id}/apply`))), planIn)
  yield* Console.log("Applied")
  return 0
})

const printExport = Effect.gen(function*() {
  const call = yield* makeCall
  const response = yield* call(HttpClientRequest.get("/export?format=yaml"))
  const text = yield* Effect.mapError(response.text, unreadable("The server's answer"))
  yield* Console.log(text.trimEnd())
  return 0
})

export const documentCommands = {
  apply: (rest: ReadonlyArray<string>, environment: Environment) =>
    Effect.provide(applyFile(rest, environment), FetchHttpClient.layer),
  export: () => Effect.provide(printExport, FetchHttpClient.layer)
}
