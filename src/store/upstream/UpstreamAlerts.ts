/** The rows of people who want mail about a third party's component. They need no account and belong to no workspace. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { makeId } from "../../domain/tools/Id.ts"
import { randomToken } from "../Mint.ts"
import { findAll, findOne, write } from "../postgres/Queries.ts"
import { cellOf } from "../SealedColumns.ts"
import { tokenHash, Vault } from "../Vault.ts"

/** An unconfirmed address is forgotten after this long. */
export const confirmWithin = Duration.days(2)

const tokenLength = 40

export interface UpstreamTopic {
  readonly service: string
  readonly component: string
}

const Row = Schema.Struct({
  id: Schema.String,
  service: Schema.String,
  component: Schema.String,
  email: EmailAddress,
  confirmed: Schema.Boolean
})

const Mailed = Schema.Struct({ id: Schema.String, email: EmailAddress, sealed: Schema.String })

export class UpstreamAlerts extends Effect.Service<UpstreamAlerts>()("belltower/UpstreamAlerts", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const columns = sql.literal(`a.id, a.service, a.component, a.email, a.confirmed_at is not null as confirmed`)

    const byToken = (hash: "confirm_hash" | "manage_hash") =>
      findOne(
        Row,
        (id: string, token: string) =>
          sql`select ${columns} from upstream_alerts a where a.id = ${id} and a.${sql(hash)} = ${tokenHash(token)}`
      )

    /** Alerts whose last mail reported another state than `state`, locked and marked as mailed. */
    const take = findAll(Mailed, ({ component, service }: UpstreamTopic, state: string, limit: number) =>
      sql`
        update upstream_alerts a set told = ${state}
        where a.id in (
          select id from upstream_alerts
          where service = ${service} and component = ${component} and confirmed_at is not null and told is distinct from ${state}
          order by id limit ${limit} for update skip locked)
        returning a.id, a.email, a.manage_sealed as sealed`)

    return {
      /** A new request of an address. Asked again, it replaces the former one, unless that was confirmed. */
      ask: Effect.fn("UpstreamAlerts.ask")(
        function*({ component, service }: UpstreamTopic, email: EmailAddress, now: DateTime.Utc) {
          const confirmToken = yield* randomToken(tokenLength)
          const manageToken = yield* randomToken(tokenLength)
          const id = makeId("sub", now.epochMillis, randomBytes(10))
          const sealed = yield* vault.seal(cellOf("upstream_alerts.manage_sealed", id), manageToken)
          const made = yield* sql<{ readonly id: string }>`
            insert into upstream_alerts (id, service, component, email, confirm_hash, manage_hash, manage_sealed, created_at)
            values (${id}, ${service}, ${component}, ${email}, ${tokenHash(confirmToken)}, ${tokenHash(manageToken)}, ${sealed},
                    ${DateTime.toDateUtc(now)})
            on conflict (service, component, lower(email)) do update set
              id = excluded.id, confirm_hash = excluded.confirm_hash, manage_hash = excluded.manage_hash,
              manage_sealed = excluded.manage_sealed, created_at = excluded.created_at
            where upstream_alerts.confirmed_at is null
            returning id`
          return made.length === 0 ? Option.none() : Option.some({ id, confirmToken })
        },
        Effect.orDie
      ),
      toConfirm: byToken("confirm_hash"),
      managed: byToken("manage_hash"),
      /** `state` is the component's current one, so that no mail follows immediately. */
      confirm: (id: string, state: string, now: DateTime.Utc) =>
        write(sql`
          update upstream_alerts set confirmed_at = ${DateTime.toDateUtc(now)}, told = ${state}
          where id = ${id} and confirmed_at is null`),
      remove: (id: string) => write(sql`delete from upstream_alerts where id = ${id}`),
      /** The followed components of a service, with the states of their last mails. */
      topics: findAll(
        Schema.Struct({ component: Schema.String, told: Schema.NullOr(Schema.String) }),
        (service: string) =>
          sql`select distinct component, told from upstream_alerts where service = ${service} and confirmed_at is not null`
      ),
      /** In the transaction that queues the mails. */
      take: Effect.fn("UpstreamAlerts.take")(function*(topic: UpstreamTopic, state: string, limit: number) {
        const rows = yield* take(topic, state, limit)
        return yield* Effect.forEach(
          rows,
          ({ email, id, sealed }) =>
            Effect.map(
              vault.unseal(cellOf("upstream_alerts.manage_sealed", id), sealed),
              (manageToken) => ({ id, email, manageToken })
            )
        )
      }),
      prune: (now: DateTime.Utc) =>
        write(sql`
          delete from upstream_alerts
          where confirmed_at is null and created_at < ${DateTime.toDateUtc(DateTime.subtractDuration(now, confirmWithin))}`)
    }
  })
}) {}
