/** Parses a YAML text of a stranger in a thread of its own, which ends with its deadline or when it takes too much memory. */
import { Data, Effect } from "effect"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"

/** What the thread answers. */
export type DocumentReply =
  | { readonly _tag: "Parsed"; readonly json: string }
  | { readonly _tag: "Refused"; readonly why: string }

/** The text is not a document that can be read; `message` says why. */
class UnreadableDocument extends Data.TaggedError("UnreadableDocument")<{ readonly message: string }> {}

/** Time of one text; one of the largest size takes a few seconds. */
const deadline = "15 seconds"

/** Threads of one process at a time; other texts wait. */
const threads = Effect.unsafeMakeSemaphore(2)

/** Next to the program if bundled, else in `dist`. */
const threadFile = (): string =>
  [new URL("./documentThread.js", import.meta.url), new URL("../../../dist/documentThread.js", import.meta.url)]
    .map((place) => fileURLToPath(place))
    .find((path) => existsSync(path)) ?? "documentThread.js"

const tooCostly = new UnreadableDocument({
  message: "The document takes too long or too much memory to read. Use fewer aliases and less nesting, or send JSON"
})

const asked = (text: string): Effect.Effect<DocumentReply, UnreadableDocument> =>
  Effect.async((resume) => {
    const worker = new Worker(threadFile(), {
      workerData: text,
      resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
      env: {},
      execArgv: []
    })
    worker.once("message", (reply: DocumentReply) => resume(Effect.succeed(reply)))
    // Nesting too deep for the parser, and memory above the limit.
    worker.once("error", () => resume(Effect.fail(tooCostly)))
    worker.once("exit", () => resume(Effect.fail(tooCostly)))
    return Effect.promise(() => worker.terminate())
  })

/** The JSON of a YAML text. */
export const parseYaml = (text: string): Effect.Effect<string, UnreadableDocument> =>
  asked(text).pipe(
    Effect.timeoutFail({ duration: deadline, onTimeout: () => tooCostly }),
    threads.withPermits(1),
    Effect.flatMap((reply) =>
      reply._tag === "Parsed" ? Effect.succeed(reply.json) : new UnreadableDocument({ message: reply.why })
    )
  )
