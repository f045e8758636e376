/** Writes the results of attempts in bulk, and gives the queues of channels back, in one statement. */
import { SqlClient } from "@effect/sql"
import { Array, Data, DateTime, Effect } from "effect"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import type { DeliveryVerdict } from "../../domain/alert/DeliveryVerdict.ts"
import { isWayTarget } from "../../domain/paging/WayTarget.ts"
import { type EndedPage, PagingResults } from "../paging/PagingResults.ts"
import type { HeldDelivery } from "./DeliveryClaim.ts"

/** The outcome of a held delivery: the verdict on an attempt, or a later time without an attempt. */
export type Outcome = DeliveryVerdict | Data.TaggedEnum.Value<OutcomeWithoutAttempt, "Postponed">
type OutcomeWithoutAttempt = Data.TaggedEnum<{ Postponed: { readonly at: DateTime.Utc } }>
export const { Postponed } = Data.taggedEnum<OutcomeWithoutAttempt>()

export interface Settled {
  readonly delivery: HeldDelivery
  /** The queue that holds it, whose lease may have moved on. Default: it has none, and is held by itself. */
  readonly held?: { readonly heldUntil: DateTime.Utc }
  readonly outcome: Outcome
  /** How long the attempt took, if one was made. */
  readonly latencyMs?: number | undefined
}

export interface ReturnedQueue {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly heldUntil: DateTime.Utc
  /** Whether an attempt was slow; null if none was made. */
  readonly slow: boolean | null
}

interface Written {
  readonly status: "delivered" | "due" | "dead"
  readonly made: number
  readonly statusCode: number | null
  readonly error: string | null
  readonly dueAt: Date | null
  readonly captured: boolean
}

const overtaken = "The alert was closed before this arrived; sending it would open the alert again"

const attempted = { made: 1, statusCode: null, error: null, dueAt: null, captured: false } as const

const writtenOf = (outcome: Outcome): Written => {
  switch (outcome._tag) {
    case "Delivered":
      return { ...attempted, status: "delivered", statusCode: outcome.statusCode, error: outcome.note ?? null }
    // The workspace reads its status as captured; see `Deliveries`.
    case "Captured":
      return { ...attempted, status: "delivered", error: outcome.error, captured: true }
    case "Dead":
      return { ...attempted, status: "dead", statusCode: outcome.statusCode, error: outcome.error }
    case "Again":
      return { ...attempted, status: "due", ...outcome, dueAt: DateTime.toDateUtc(outcome.at) }
    case "Postponed":
      return { ...attempted, status: "due", made: 0, dueAt: DateTime.toDateUtc(outcome.at) }
  }
}

interface NewProblem {
  readonly delivery: HeldDelivery
  /** Null if there is none any more. */
  readonly message: string | null
}

/** The results' news about the targets of their channels: the last of each. */
const problemsOf = (settled: ReadonlyArray<Settled>): ReadonlyArray<NewProblem> => {
  const last = new Map<ChannelId, NewProblem>()
  for (const { delivery, outcome } of settled) {
    if (outcome._tag === "Postponed" || outcome._tag === "Captured") continue
    const text = outcome._tag === "Delivered" ? outcome.note ?? null : outcome.error
    const message = outcome.isProblem === true ? text : null
    if (message !== null || (outcome._tag === "Delivered" && delivery.problem !== null)) {
      last.set(delivery.channelId, { delivery, message })
    }
  }
  return [...last.values()]
}

/** The deliveries to contact ways that have ended. */
const endedPages = (settled: ReadonlyArray<Settled>): ReadonlyArray<EndedPage> =>
  settled.flatMap(({ delivery: { channelId, eventId, type, workspaceId }, outcome }): ReadonlyArray<EndedPage> => {
    if (!isWayTarget(type) || outcome._tag === "Again" || outcome._tag === "Postponed") return []
    const page = { workspaceId, eventId, wayId: channelId, reference: null }
    return outcome._tag === "Delivered"
      ? [{ ...page, error: null, reference: outcome.reference ?? null }]
      : [{ ...page, error: outcome.error }]
  })

export class DeliveryResults extends Effect.Service<DeliveryResults>()("belltower/DeliveryResults", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const pagings = yield* PagingResults

    const given = (settled: ReadonlyArray<Settled>) => {
      const held = settled.map(({ delivery }) => delivery)
      const results = settled.map(({ outcome }) => writtenOf(outcome))
      return sql`
        unnest(${held.map(({ id }) => id)}::text[], ${held.map(({ workspaceId }) => workspaceId)}::text[],
               ${held.map(({ channelId }) => channelId)}::text[],
               ${settled.map(({ delivery, held = delivery }) => DateTime.toDateUtc(held.heldUntil))}::timestamptz[],
               ${results.map(({ status }) => status)}::text[], ${results.map(({ made }) => made)}::int[],
               ${results.map(({ statusCode }) => statusCode)}::int[], ${results.map(({ error }) => error)}::text[],
               ${results.map(({ dueAt }) => dueAt)}::timestamptz[], ${settled.map(({ latencyMs }) => latencyMs ?? null)}::int[],
               ${results.map(({ captured }) => captured)}::bool[])
          as r (id, workspace_id, channel_id, held_until, status, made, status_code, error, due_at, latency_ms, captured)`
    }

    const write = Effect.fn("DeliveryResults.write")(
      function*(settled: ReadonlyArray<Settled>, returned: ReadonlyArray<ReturnedQueue>, now: DateTime.Utc, patienceMs: number) {
        const [row] = yield* sql<{ readonly more: boolean }>`
        with result as materialized (
          -- Of two claims of one delivery, that which reached the receiver counts.
          select distinct on (id) * from ${given(settled)} order by id, status = 'delivered' desc
        ),
        given_back as (
          select * from unnest(${returned.map(({ channelId }) => channelId)}::text[],
                               ${returned.map(({ heldUntil }) => DateTime.toDateUtc(heldUntil))}::timestamptz[],
                               ${returned.map(({ slow }) => slow)}::bool[]) as g (channel_id, held_until, slow)
        ), queue as materialized (
          -- The row of patience is read before any row can be locked.
          select q.channel_id, q.held_until from delivery_queues q
          cross join (select set_config('lock_timeout', ${String(patienceMs)}, true)) patience
          -- By a semi-join, a queue that a fan-out changed meanwhile could be missing.
          where q.channel_id = any(array(select channel_id from result union all select channel_id from given_back))
          order by q.channel_id for update of q
        ), written as (
          update deliveries d
          set status = r.status, captured = r.captured, attempts = d.attempts + r.made, due_at = coalesce(r.due_at, d.due_at),
              last_status_code = case when r.made = 1 then r.status_code else d.last_status_code end,
              latency_ms = case when r.made = 1 then r.latency_ms else d.latency_ms end,
              last_error = case when r.made = 1 then r.error else d.last_error end,
              finished_at = case when r.status = 'due' then null else ${DateTime.toDateUtc(now)}::timestamptz end
          from result r left join queue on queue.channel_id = r.channel_id
          -- A delivery outside the queues, such as a test, is held by its due time. A message that has arrived must not be sent
          -- again, even if another worker holds it by now.
          where d.workspace_id = r.workspace_id and d.id = r.id and d.status = 'due'
            and (r.status = 'delivered' or queue.held_until = r.held_until or d.due_at = r.held_until)
          returning d.channel_id, d.status, d.attempts, d.due_at
        ), again as (
          select channel_id, min(due_at) filter (where attempts = 0) as first_at, min(due_at) filter (where attempts > 0) as retry_at
          from written where status = 'due' group by channel_id
        ), opened as (
          update delivery_queues q
          set held_until = case when g.channel_id is null then q.held_until end,
              held_lane = case when g.channel_id is null then q.held_lane end,
              slow = coalesce(g.slow, q.slow),
              first_at = least(q.first_at, again.first_at), retry_at = least(q.retry_at, again.retry_at)
          from queue left join given_back g on g.channel_id = queue.channel_id and g.held_until = queue.held_until
          left join again on again.channel_id = queue.channel_id
          where q.channel_id = queue.channel_id
          returning q.workspace_id, q.lane, q.ready_at
        ), turned as (
          insert into delivery_turns as t (workspace_id, lane, ready_at)
          select workspace_id, lane, min(ready_at) from opened where ready_at < 'infinity'
          group by workspace_id, lane order by workspace_id, lane
          on conflict (workspace_id, lane) do update set ready_at = excluded.ready_at where t.ready_at > excluded.ready_at
        )
        select coalesce(bool_or(ready_at <= ${DateTime.toDateUtc(now)}), false) as more from opened`
        return row?.more ?? false
      }
    )

    /** Notes them in the channels and contact ways whose settings are still those of the attempts. */
    const noteIn = (table: "channels" | "contact_ways", problems: ReadonlyArray<NewProblem>, now: DateTime.Utc) =>
      sql`
      update ${sql(table)} c
      set problem = p.message,
          problem_at = case when p.message is not null then coalesce(c.problem_at, ${DateTime.toDateUtc(now)}::timestamptz) end
      from unnest(${problems.map(({ delivery }) => delivery.workspaceId)}::text[],
                  ${problems.map(({ delivery }) => delivery.channelId)}::text[],
                  ${problems.map(({ delivery }) => DateTime.toDateUtc(delivery.updatedAt))}::timestamptz[],
                  ${problems.map(({ message }) => message)}::text[]) as p (workspace_id, id, updated_at, message)
      where c.workspace_id = p.workspace_id and c.id = p.id and c.updated_at = p.updated_at
        and c.problem is distinct from p.message`

    const note = (problems: ReadonlyArray<NewProblem>, now: DateTime.Utc) => {
      const [ofChannels, ofWays] = Array.partition(problems, ({ delivery }) => isWayTarget(delivery.type))
      return Effect.all([
        ofChannels.length === 0 ? Effect.void : noteIn("channels", ofChannels, now),
        ofWays.length === 0 ? Effect.void : noteIn("contact_ways", ofWays, now)
      ])
    }

    /** Ends deliveries that still wait for a retry and would open an alert again that is closed now. */
    const endOvertaken = (closed: ReadonlyArray<Settled>, now: DateTime.Utc) =>
      sql`
      update deliveries d set status = 'dead', last_error = ${overtaken}, finished_at = ${DateTime.toDateUtc(now)}
      from deliveries c
      where c.workspace_id = any(${closed.map(({ delivery }) => delivery.workspaceId)}::text[])
        and c.id = any(${closed.map(({ delivery }) => delivery.id)}::text[]) and c.status = 'delivered'
        and d.workspace_id = c.workspace_id and d.channel_id = c.channel_id
        and d.alert_key = c.alert_key and d.status = 'due' and d.event_id < c.event_id`

    /**
     * Returns whether more is due in the queues: it may have come while they were held, when it woke nobody.
     *
     * A failure is written only by the holder of the delivery: nothing happens if another worker has taken the queue over, or the
     * delivery ended meanwhile. Rows are locked in order: queues by channel, then deliveries and turns. It dies if it waits for
     * a lock for
     * longer than `patienceMs`.
     */
    const settle = (
      settled: ReadonlyArray<Settled>,
      returned: ReadonlyArray<ReturnedQueue>,
      now: DateTime.Utc,
      patienceMs: number
    ): Effect.Effect<boolean> => {
      const closed = settled.filter(({ delivery, outcome }) => delivery.closesAlert && outcome._tag === "Delivered")
      const problems = problemsOf(settled)
      const pages = endedPages(settled)
      const written = write(settled, returned, now, patienceMs)
      const ended = closed.length === 0
        ? written
        : sql.withTransaction(Effect.tap(written, () => endOvertaken(closed, now)))
      // Apart from the results, because those who change a channel lock its row before its deliveries.
      const noted = Effect.tap(ended, () => (problems.length === 0 ? Effect.void : note(problems, now)))
      if (pages.length === 0) return Effect.orDie(noted)
      return Effect.orDie(
        pagings.ending(pages, now).pipe(
          Effect.zipRight(noted),
          Effect.tap(() => pagings.ended(pages, now))
        )
      )
    }

    return { settle }
  }),
  dependencies: [PagingResults.Default]
}) {}
