/** Mails people when a component of a third party that they follow changes. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect } from "effect"
import type { CatalogueComponent, CatalogueEntry } from "../../../schema/upstream/Catalogue.ts"
import { componentsOf } from "../../domain/upstream/Catalogue.ts"
import { judge, type Judgement, newsOf } from "../../domain/upstream/Verdict.ts"
import { UpstreamSettings } from "../../external/upstream/UpstreamSettings.ts"
import { Links } from "../../links/Links.ts"
import { upstreamNewsMail } from "../../notify/mail/UpstreamMail.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { UpstreamAlerts } from "../../store/upstream/UpstreamAlerts.ts"
import { Upstreams } from "../../store/upstream/Upstreams.ts"

/** Mails queued in one transaction. */
const batch = 200

/** News that cannot be delivered for this long is old. */
const fresh = Duration.hours(6)

export class UpstreamAnnouncer extends Effect.Service<UpstreamAnnouncer>()("belltower/UpstreamAnnouncer", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const alerts = yield* UpstreamAlerts
    const upstreams = yield* Upstreams
    const mails = yield* Mails
    const links = yield* Links
    const clock = yield* DatabaseClock
    const { interval } = yield* UpstreamSettings

    const tellSome = Effect.fnUntraced(
      function*(entry: CatalogueEntry, component: CatalogueComponent, judgement: Judgement) {
        const topic = { service: entry.service, component: component.slug }
        const readers = yield* alerts.take(topic, newsOf(judgement), batch)
        const expiresAt = DateTime.addDuration(yield* clock.now, fresh)
        yield* Effect.forEach(readers, ({ email, id, manageToken }) => {
          const unsubscribe = links.leaveUpstream(id, manageToken)
          const mail = upstreamNewsMail({ entry, component, judgement, link: links.upstream(topic), unsubscribe })
          return mails.send({ workspaceId: null, priority: "bulk", to: email, ...mail, expiresAt })
        }, { discard: true })
        return readers.length === batch
      },
      sql.withTransaction,
      Effect.catchTag("SqlError", Effect.die)
    )

    return {
      /** Without effect while nothing has changed; a status that cannot be read is no news. */
      tell: Effect.fn("UpstreamAnnouncer.tell")(function*(entry: CatalogueEntry) {
        const topics = yield* alerts.topics(entry.service)
        if (topics.length === 0) return
        const known = yield* upstreams.known(entry.service)
        const now = yield* clock.now
        for (const component of componentsOf(entry)) {
          const told = topics.filter((topic) => topic.component === component.slug)
          if (told.length === 0) continue
          const judgement = judge(entry.name, component, known, now, Duration.toSeconds(interval))
          if (judgement.stale || told.every((topic) => topic.told === newsOf(judgement))) continue
          yield* Effect.repeat(tellSome(entry, component, judgement), { while: (more) => more })
        }
      }),
      prune: alerts.prune
    }
  })
}) {}
