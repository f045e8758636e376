/** Parses a YAML text of a stranger in a thread of its own, which ends with its deadline or when it takes too much memory. */
import { Data, Effect } from "effect"
import { Worker } from "node:worker_threads"
import { Unavailable } from "../../../schema/Errors.ts"
import { bundledFile } from "../../domain/tools/BundledFile.ts"
import { makeFairQueue } from "../../domain/tools/queues/FairQueue.ts"
import { makeFairSlots } from "../../loops/FairSlots.ts"
import { WorkOwner } from "../../loops/WorkPriority.ts"

export type DocumentReply =
  | { readonly _tag: "Parsed"; readonly json: string }
  | { readonly _tag: "Refused"; readonly why: string }

/** The text is not a document that can be read; `message` says why. */
class UnreadableDocument extends Data.TaggedError("UnreadableDocument")<{ readonly message: string }> {}

/** Time of one text; ten thousand monitors, or as many values as a document may hold, take three to six seconds. */
const deadline = "10 seconds"

/** Threads of one process at a time, one of each workspace. Other texts wait, in memory, for their workspace's turn. */
const threads = { slots: 2, mostPerOwner: 1, room: { total: 20, perOwner: 3, weigh: () => 1 } }

const crowded = Effect.fail(
  new Unavailable({
    message: "Too many YAML documents wait to be read",
    hint: "Try again in a minute, one at a time, or send JSON"
  })
)

const slots = makeFairSlots(makeFairQueue<() => void>(threads), crowded)

const tooCostly = new UnreadableDocument({
  message: "The document takes too long or too much memory to read. Use fewer aliases and less nesting, or send JSON"
})

const asked = (text: string): Effect.Effect<DocumentReply, UnreadableDocument> =>
  Effect.async((resume) => {
    const worker = new Worker(bundledFile("documentThread.js") ?? "documentThread.js", {
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

/** The JSON of a YAML text, in a turn of the workspace that the fiber works for. Fails with `unavailable` if too many wait. */
export const parseYaml = (text: string): Effect.Effect<string, UnreadableDocument | Unavailable> =>
  Effect.flatMap(
    WorkOwner,
    (owner) => slots(owner ?? "", Effect.timeoutFail(asked(text), { duration: deadline, onTimeout: () => tooCostly }))
  ).pipe(
    Effect.flatMap((reply) =>
      reply._tag === "Parsed" ? Effect.succeed(reply.json) : new UnreadableDocument({ message: reply.why })
    )
  )
