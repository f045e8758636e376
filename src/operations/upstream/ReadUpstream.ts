/** The status of third parties, for anyone. The first question about a service begins to track it. */
import { Duration, Effect, Option } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { CatalogueComponent, CatalogueEntry } from "../../../schema/upstream/Catalogue.ts"
import type { UpstreamIncident, UpstreamService, UpstreamStatus } from "../../../schema/upstream/Upstream.ts"
import { nearest } from "../../domain/tools/text/Nearest.ts"
import { componentsOf, wholeService } from "../../domain/upstream/Catalogue.ts"
import { judge } from "../../domain/upstream/JudgeUpstream.ts"
import type { SourceIncident } from "../../domain/upstream/Reading.ts"
import { UpstreamSettings } from "../../external/upstream/UpstreamSettings.ts"
import { TrackUpstreams } from "../../services/upstream/TrackUpstreams.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { Upstreams } from "../../store/upstream/Upstreams.ts"

/** Answers are at most this old beside what the source published. */
const memory = "5 seconds"
/** How long the first question waits for the first reading. */
const firstReading = "8 seconds"
const mostIncidents = 100

const published = ({ components: _, text: __, ...incident }: SourceIncident): UpstreamIncident => incident

export class ReadUpstream extends Effect.Service<ReadUpstream>()("belltower/ReadUpstream", {
  effect: Effect.gen(function*() {
    const { catalogue, interval } = yield* UpstreamSettings
    const upstreams = yield* Upstreams
    const tracking = yield* TrackUpstreams
    const clock = yield* DatabaseClock

    const unknown = (kind: "service" | "component", name: string, known: ReadonlyArray<string>, hint: string) => {
      const meant = nearest(name, known)
      return new NotFound({
        message: `No upstream ${kind} ${name.slice(0, 64)}`,
        hint: meant === null ? hint : `Did you mean ${meant}?`
      })
    }

    /** Fails with `not_found` and the nearest slug. */
    const entryOf = (service: string): Effect.Effect<CatalogueEntry, NotFound> => {
      const entry = catalogue.get(service)
      return entry === undefined
        ? Effect.fail(unknown("service", service, [...catalogue.keys()], "GET /status lists the services"))
        : Effect.succeed(entry)
    }

    const componentOf = (entry: CatalogueEntry, slug: string): Effect.Effect<CatalogueComponent, NotFound> => {
      const all = componentsOf(entry)
      const found = all.find((component) => component.slug === slug)
      const slugs = all.map((component) => component.slug)
      return found === undefined
        ? Effect.fail(unknown("component", slug, slugs, `${entry.service} has ${slugs.join(", ")}`))
        : Effect.succeed(found)
    }

    const readFirst = (entry: CatalogueEntry) =>
      Effect.zipRight(
        Effect.flatMap(clock.now, (now) => upstreams.track([entry.service], now)),
        // In the background: a caller that stops waiting does not end the reading.
        Effect.flatMap(Effect.forkDaemon(tracking.refresh(entry)), (fiber) => Effect.timeoutOption(fiber.await, firstReading))
      )

    /** The stored state of a service. Calls within `memory` share one read of the database, and one first reading. */
    const known = yield* Effect.cachedFunction((entry: CatalogueEntry) =>
      Effect.cachedWithTTL(
        Effect.gen(function*() {
          const row = yield* upstreams.known(entry.service)
          if (row.readAt !== null || row.triedAt !== null) return row
          yield* readFirst(entry)
          return yield* upstreams.known(entry.service)
        }),
        memory
      )
    )
    const knownOf = (entry: CatalogueEntry) => Effect.flatten(known(entry))

    const statusOf = Effect.fnUntraced(function*(entry: CatalogueEntry, component: CatalogueComponent) {
      const facts = yield* knownOf(entry)
      const judgement = judge(entry.name, component, facts, yield* clock.now, Math.round(Duration.toSeconds(interval)))
      return {
        schema: "belltower/upstream-status/v1",
        service: entry.service,
        serviceName: entry.name,
        component: { slug: component.slug, name: component.name },
        verdict: judgement.verdict,
        status: judgement.condition,
        reason: judgement.reason,
        retryAfterSec: judgement.retryAfterSec,
        incident: Option.getOrNull(Option.map(Option.fromNullable(judgement.incident), published)),
        probe: facts.probe,
        stale: judgement.stale,
        readAt: facts.readAt,
        source: entry.source.url
      } satisfies UpstreamStatus
    })

    const services = [...catalogue.values()].sort((a, b) => a.name.localeCompare(b.name, "en"))

    return {
      services,
      catalogue: services.map((entry): UpstreamService => ({
        service: entry.service,
        name: entry.name,
        components: componentsOf(entry).map(({ name, slug }) => ({ slug, name }))
      })),
      status: Effect.fn("ReadUpstream.status")(function*(service: string, component: string) {
        const entry = yield* entryOf(service)
        return yield* statusOf(entry, yield* componentOf(entry, component))
      }),
      /** The service as a whole, its components, and its incidents of the last 90 days, newest first. */
      service: Effect.fn("ReadUpstream.service")(function*(service: string) {
        const entry = yield* entryOf(service)
        const all = yield* Effect.forEach(componentsOf(entry), (component) => statusOf(entry, component))
        const incidents = yield* upstreams.incidents(service, mostIncidents)
        return {
          entry,
          whole: all.find(({ component }) => component.slug === wholeService),
          components: all.filter(({ component }) => component.slug !== wholeService),
          incidents
        }
      })
    }
  }),
  dependencies: [TrackUpstreams.Default]
}) {}
