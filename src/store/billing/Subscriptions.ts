/** The known subscriptions of workspaces, and those that must be canceled. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { Subscription } from "../../../schema/billing/Billing.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Plan } from "../../../schema/workspace/Workspace.ts"
import { chooseSubscription, isOver, type KnownSubscription, planUnder } from "../../domain/billing/SubscriptionChoice.ts"
import { exists, findOne, write } from "../postgres/Queries.ts"
import { inTransaction } from "../postgres/Transaction.ts"

/** A subscription as stored in its workspace's row. */
const Kept = Schema.Struct({ ...Subscription.fields, id: Schema.String, createdAt: Schema.DateTimeUtc })
const encodeKept = Schema.encodeSync(Schema.parseJson(Kept))

const Held = Schema.Struct({
  plan: Plan,
  customerId: Schema.NullOr(Schema.String),
  subscription: Schema.NullOr(Kept),
  reading: Schema.Number
})

/** A subscription as read from the payment provider, with its workspace. */
interface SubscriptionNews {
  readonly noticeId: string
  /** The number from `nextReading`, taken before the request to the provider. */
  readonly reading: number
  readonly workspaceId: WorkspaceId | null
  readonly customerId: string
  readonly subscription: KnownSubscription
}

export class Subscriptions extends Effect.Service<Subscriptions>()("belltower/Subscriptions", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`
      plan, stripe_customer_id as "customerId", subscription, subscription_reading as reading`)
    const heldForUpdate = findOne(
      Schema.Struct({ ...Held.fields, isDeleted: Schema.Boolean }),
      (id: WorkspaceId) =>
        sql`select ${columns}, deleted_at is not null as "isDeleted" from workspaces where id = ${id} for no key update`
    )

    const requestEnd = Effect.fn("Subscriptions.requestEnd")(function*(id: string) {
      yield* sql`
        insert into subscription_ends (subscription_id, requested_at)
        values (${id}, ${DateTime.toDateUtc(yield* DateTime.now)})
        on conflict do nothing`
    })

    const store = Effect.fn("Subscriptions.store")(
      function*(id: WorkspaceId, { customerId, reading, subscription }: SubscriptionNews, current: Plan) {
        const { cancels, createdAt, plan, renewsAt, status } = subscription
        const kept = encodeKept({ id: subscription.id, cancels, createdAt, plan, renewsAt, status })
        yield* sql`
          update workspaces
          set plan = ${planUnder(subscription, current)}, subscription = ${kept}::jsonb, subscription_reading = ${reading},
              stripe_customer_id = ${customerId}, stripe_subscription_id = ${isOver(subscription) ? null : subscription.id},
              updated_at = ${DateTime.toDateUtc(yield* DateTime.now)}
          where id = ${id}`
      }
    )

    /** False when a later reading was stored first. It may be of another subscription, so the caller must read again. */
    const settle = Effect.fn("Subscriptions.settle")(function*(id: WorkspaceId, news: SubscriptionNews) {
      const found = yield* heldForUpdate(id)
      const isGone = Option.isNone(found) || found.value.isDeleted
      // The workspace was deleted during the payment, so the subscription must be canceled.
      if (isGone && !isOver(news.subscription)) yield* requestEnd(news.subscription.id)
      if (Option.isNone(found)) return true
      if (found.value.reading >= news.reading) return false
      const { end, take } = chooseSubscription(found.value.subscription, news.subscription)
      if (take !== null) yield* store(id, news, found.value.plan)
      if (end !== null) {
        yield* requestEnd(end)
        yield* Effect.logWarning(`Workspace ${id} had two subscriptions; canceling ${end}`)
      }
      return true
    })

    /** Stores the news of a notice. False when a later reading is already stored. */
    const take = Effect.fn("Subscriptions.take")(function*(news: SubscriptionNews) {
      const settled = news.workspaceId === null || (yield* settle(news.workspaceId, news))
      if (settled) {
        yield* sql`
        insert into billing_notices (id, received_at) values (${news.noticeId}, ${DateTime.toDateUtc(yield* DateTime.now)})
        on conflict do nothing`
      }
      return settled
    }, inTransaction(sql))

    return {
      of: findOne(Held, (id: WorkspaceId) => sql`select ${columns} from workspaces where id = ${id}`),
      /** A number greater than all earlier ones. Data read after taking it is at least that new. */
      nextReading: sql<{ readonly reading: number }>`select nextval('subscription_readings')::float8 as reading`.pipe(
        Effect.map(([row]) => row?.reading ?? 0),
        Effect.orDie
      ),
      isKnown: (noticeId: string) => exists(sql`select 1 from billing_notices where id = ${noticeId}`),
      take,
      /** The oldest 100 subscriptions that must be canceled. */
      ends: Effect.orDie(Effect.map(
        sql<{ readonly id: string }>`select subscription_id as id from subscription_ends order by requested_at limit 100`,
        (rows) => rows.map((row) => row.id)
      )),
      ended: (id: string) => write(sql`delete from subscription_ends where subscription_id = ${id}`),
      /** Deletes notices so old that the provider no longer repeats them. */
      prune: Effect.gen(function*() {
        const before = DateTime.subtract(yield* DateTime.now, { days: 30 })
        yield* sql`delete from billing_notices where received_at < ${DateTime.toDateUtc(before)}`
      }).pipe(Effect.orDie)
    }
  })
}) {}
