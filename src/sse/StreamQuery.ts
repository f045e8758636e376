/** Parses the live stream's options: event types, start position, and whether to include finished checks. */
import type { HttpServerRequest } from "@effect/platform"
import { Effect, Either, Option, Schema } from "effect"
import type { EventType } from "../../schema/event/Event.ts"
import { eventTypes } from "../../schema/event/EventData.ts"
import { FlagText, optional } from "../../schema/Fields.ts"
import { nearest } from "../domain/tools/Nearest.ts"
import { fieldIssues, validationFailed } from "../http/request/FieldIssues.ts"
import type { FollowOptions } from "../operations/event/FollowEvents.ts"

/** The types that one entry matches: an exact type, a prefix such as `monitor.*`, or `*`. */
const matching = (entry: string): ReadonlyArray<EventType> =>
  entry === "*"
    ? eventTypes
    : entry.endsWith(".*")
    ? eventTypes.filter((type) => type.startsWith(entry.slice(0, -1)))
    : eventTypes.filter((type) => type === entry)

/** Expands comma-separated entries to exact types, null for all types; left is an entry that matches nothing. */
export const parseTypes = (text: string): Either.Either<ReadonlyArray<EventType> | null, string> => {
  const entries = text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "")
  const unknown = entries.find((entry) => matching(entry).length === 0)
  if (unknown !== undefined) return Either.left(unknown)
  return Either.right(entries.length === 0 || entries.includes("*") ? null : [...new Set(entries.flatMap(matching))])
}

const Query = Schema.Struct({
  types: optional(Schema.String),
  after: optional(Schema.String),
  checks: optional(FlagText),
  /** Read before the caller is known; see `StreamRoute.ts`. */
  token: optional(Schema.String)
})

const decode = Schema.decodeUnknown(Query, { errors: "all", onExcessProperty: "error" })

/** `Last-Event-ID` precedes `after`, which a browser that reconnects repeats. (Specification: Events, Live stream.) */
export const streamQuery = Effect.fn("StreamQuery.read")(function*(
  request: HttpServerRequest.HttpServerRequest,
  search: Readonly<Record<string, string | ReadonlyArray<string>>>
) {
  const { after, checks = false, types = "" } = yield* Effect.mapError(
    decode(search),
    (error) => validationFailed(fieldIssues(error, "texts"))
  )
  const parsed = parseTypes(types)
  if (Either.isLeft(parsed)) {
    const meant = nearest(parsed.left, eventTypes)
    const instead = meant === null ? "use types such as monitor.down, prefixes such as monitor.*, or *" : `did you mean ${meant}?`
    return yield* validationFailed([{ path: "types", message: `Unknown event type ${parsed.left.slice(0, 64)}; ${instead}` }])
  }
  const lastEventId = request.headers["last-event-id"]
  const from = lastEventId !== undefined && lastEventId !== ""
    ? Option.some({ id: lastEventId, field: "Last-Event-ID" })
    : after !== undefined && after !== ""
    ? Option.some({ id: after, field: "after" })
    : Option.none()
  return { types: parsed.right, after: from, checks } satisfies FollowOptions
})
