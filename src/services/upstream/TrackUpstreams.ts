/** Reads and stores third parties' statuses, links them to incidents of workspaces, and notifies their subscribers. */
import { type DateTime, Effect } from "effect"
import type { CatalogueEntry } from "../../../schema/upstream/Catalogue.ts"
import { SourceReader } from "../../external/upstream/SourceReader.ts"
import { UpstreamSettings } from "../../external/upstream/UpstreamSettings.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { Upstreams } from "../../store/upstream/Upstreams.ts"
import { ExplainIncidents } from "./ExplainIncidents.ts"
import { UpstreamAnnouncer } from "./UpstreamAnnouncer.ts"

/** Sources that are read at a time. */
const concurrency = 16

export class TrackUpstreams extends Effect.Service<TrackUpstreams>()("belltower/TrackUpstreams", {
  effect: Effect.gen(function*() {
    const upstreams = yield* Upstreams
    const reader = yield* SourceReader
    const settings = yield* UpstreamSettings
    const clock = yield* DatabaseClock
    const explain = yield* ExplainIncidents
    const announcer = yield* UpstreamAnnouncer

    const readStatus = Effect.fnUntraced(function*(entry: CatalogueEntry) {
      const reading = yield* reader.read(entry)
      const fresh = yield* upstreams.saveReading(entry.service, reading, yield* clock.now)
      yield* explain.withNew(entry, fresh)
    })

    /** Reads one service and its probe. A source that cannot be read leaves what it said before, which grows stale. */
    const refresh = Effect.fn("TrackUpstreams.refresh")(function*(entry: CatalogueEntry) {
      const reading = readStatus(entry).pipe(
        Effect.catchTag(
          "UnreadableSource",
          ({ message }) => Effect.flatMap(clock.now, (now) => upstreams.saveProblem(entry.service, message, now))
        )
      )
      const probing = Effect.flatMap(reader.probe(entry), (probe) => upstreams.saveProbe(entry.service, probe))
      yield* Effect.all([reading, probing], { concurrency: "unbounded" })
      yield* announcer.tell(entry)
    })

    /** One service must not keep the others from being read. */
    const contained = (entry: CatalogueEntry) =>
      Effect.catchAllCause(
        refresh(entry),
        (cause) => Effect.logWarning(`The upstream status of ${entry.service} could not be stored`, cause)
      )

    return {
      refresh,
      all: Effect.gen(function*() {
        const now: DateTime.Utc = yield* clock.now
        yield* upstreams.track(settings.own, now)
        const tracked = new Set(yield* upstreams.tracked)
        const entries = [...settings.catalogue.values()].filter(({ service }) => tracked.has(service))
        yield* Effect.forEach(entries, contained, { concurrency, discard: true })
        yield* upstreams.prune(now)
        yield* announcer.prune(now)
      }).pipe(Effect.withSpan("TrackUpstreams.all"))
    }
  }),
  dependencies: [SourceReader.Default, ExplainIncidents.Default, UpstreamAnnouncer.Default]
}) {}
