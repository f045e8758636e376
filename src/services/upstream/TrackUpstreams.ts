/** Reads and stores third parties' statuses, links them to incidents of workspaces, and notifies their subscribers. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect } from "effect"
import type { CatalogueComponent, CatalogueEntry } from "../../../schema/upstream/Catalogue.ts"
import { componentsOf } from "../../domain/upstream/Catalogue.ts"
import { judge, type Judgement, newsOf } from "../../domain/upstream/JudgeUpstream.ts"
import { SourceReader } from "../../external/upstream/SourceReader.ts"
import { UpstreamSettings } from "../../external/upstream/UpstreamSettings.ts"
import { Links } from "../../links/Links.ts"
import { upstreamNewsMail } from "../../notify/mail/UpstreamMail.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { inTransaction } from "../../store/postgres/Transaction.ts"
import { UpstreamAlerts } from "../../store/upstream/UpstreamAlerts.ts"
import { Upstreams } from "../../store/upstream/Upstreams.ts"
import { ExplainIncidents } from "./ExplainIncidents.ts"

/** Sources that are read at a time. */
const concurrency = 16

/** Mails queued in one transaction. */
const batch = 200

/** News that cannot be delivered for this long is old. */
const fresh = Duration.hours(6)

export class TrackUpstreams extends Effect.Service<TrackUpstreams>()("belltower/TrackUpstreams", {
  effect: Effect.gen(function*() {
    const upstreams = yield* Upstreams
    const reader = yield* SourceReader
    const settings = yield* UpstreamSettings
    const clock = yield* DatabaseClock
    const explain = yield* ExplainIncidents
    const sql = yield* SqlClient.SqlClient
    const alerts = yield* UpstreamAlerts
    const mails = yield* Mails
    const links = yield* Links

    const announceSome = Effect.fnUntraced(function*(entry: CatalogueEntry, component: CatalogueComponent, judgement: Judgement) {
      const topic = { service: entry.service, component: component.slug }
      const followers = yield* alerts.take(topic, newsOf(judgement), batch)
      const expiresAt = DateTime.addDuration(yield* clock.now, fresh)
      yield* Effect.forEach(followers, ({ email, id, manageToken }) => {
        const unsubscribe = links.leaveUpstream(id, manageToken)
        const mail = upstreamNewsMail({ entry, component, judgement, link: links.upstream(topic), unsubscribe })
        return mails.send({ workspaceId: null, priority: "bulk", to: email, ...mail, expiresAt })
      }, { discard: true })
      return followers.length === batch
    }, inTransaction(sql))

    /** Mails the people who follow its components. Without effect while nothing has changed; a status that cannot be read is no news. */
    const announce = Effect.fn("TrackUpstreams.announce")(function*(entry: CatalogueEntry) {
      const topics = yield* alerts.topics(entry.service)
      if (topics.length === 0) return
      const known = yield* upstreams.known(entry.service)
      const now = yield* clock.now
      for (const component of componentsOf(entry)) {
        const followed = topics.filter((topic) => topic.component === component.slug)
        if (followed.length === 0) continue
        const judgement = judge(entry.name, component, known, now, Duration.toSeconds(settings.interval))
        if (judgement.stale || followed.every((topic) => topic.told === newsOf(judgement))) continue
        yield* Effect.repeat(announceSome(entry, component, judgement), { while: (more) => more })
      }
    })

    const readStatus = Effect.fnUntraced(function*(entry: CatalogueEntry) {
      const reading = yield* reader.read(entry)
      const added = yield* upstreams.saveReading(entry.service, reading, yield* clock.now)
      yield* explain.withNew(entry, added)
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
      yield* announce(entry)
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
        yield* alerts.prune(now)
      }).pipe(Effect.withSpan("TrackUpstreams.all"))
    }
  }),
  dependencies: [SourceReader.Default, ExplainIncidents.Default]
}) {}
