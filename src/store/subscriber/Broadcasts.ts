/**
 * Events on their way to the subscribers of a page. A broadcast walks the subscribers by id: each batch creates deliveries, holds
 * them for its caller and moves the position in one transaction, so a crash neither loses nor repeats one.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { BroadcastContents, hears } from "../../domain/subscriber/BroadcastContent.ts"
import { sharesOf, visitsOfEach } from "../../domain/subscriber/BroadcastShares.ts"
import { alarmsSignal } from "../Alarms.ts"
import { earliestOf, exists, findOne } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { inTransaction } from "../postgres/Transaction.ts"
import { type HeldBroadcast, makeClaimQueries, type ReadyBroadcast, type Retry } from "./BroadcastClaim.ts"
import { makePlan } from "./BroadcastPlan.ts"
import { renewLeases, type Settled, writeResults } from "./BroadcastResults.ts"
import { makeReadyBroadcasts } from "./ReadyBroadcasts.ts"

/** Notified when a broadcast begins. */
export const broadcastsSignal = "belltower_broadcasts"

/** How long a delivery is held for one attempt. After that, another worker takes it over. */
export const broadcastLease = Duration.seconds(30)

/** Broadcasts that are visited in one claim. */
const mostVisited = 20
/** Subscribers that a visit reads at least: of many, few may want an event. */
const leastRead = 50
const retention = Duration.days(30)
const pruneBatch = 100

/** A broadcast without contents yet. */
export interface Unprepared extends WorkspaceEvent {
  readonly pageId: PageId
  readonly traceparent?: string | null
}

const decodeContents = Schema.decodeUnknownOption(BroadcastContents)
const encodeContents = Schema.encodeSync(Schema.parseJson(BroadcastContents))

export interface BroadcastClaimRequest {
  readonly now: DateTime.Utc
  /** About how many deliveries to take. */
  readonly room: number
  /** Workspaces that hold their share of the slots already. */
  readonly except: ReadonlyArray<WorkspaceId>
}

const makeBegin = (sql: SqlClient.SqlClient) => {
  const { unprepared } = makeReadyBroadcasts(sql)
  const plan = makePlan(sql)

  const prepareSome = Effect.fn("Broadcasts.prepareSome")(
    function*<R>(limit: number, compose: (one: Unprepared) => Effect.Effect<Option.Option<BroadcastContents>, never, R>) {
      const rows = yield* unprepared(limit)
      yield* Effect.forEach(rows, (row) =>
        Effect.flatMap(
          compose(row),
          Option.match({
            onNone: () => sql`delete from broadcasts where event_id = ${row.id} and page_id = ${row.pageId}`,
            onSome: (contents) =>
              sql`
            update broadcasts set contents = ${encodeContents(contents)}::jsonb
            where event_id = ${row.id} and page_id = ${row.pageId}`
          })
        ), { discard: true })
      return rows.length
    },
    inTransaction(sql)
  )

  // Asked at each step of a worker, so it must cost little when there is nothing; by the partial index of unprepared broadcasts.
  const hasUnprepared = exists(sql`select from broadcasts where contents is null limit 1`)

  /** Sets the contents of up to `limit` new broadcasts; those without contents go to nobody. Returns their number. */
  const prepare = <R>(limit: number, compose: (one: Unprepared) => Effect.Effect<Option.Option<BroadcastContents>, never, R>) =>
    Effect.flatMap(hasUnprepared, (has) => (has ? prepareSome(limit, compose) : Effect.succeed(0)))

  const languagesOf = (pageId: PageId) =>
    Effect.orDie(
      sql<
        { readonly language: string }
      >`select distinct language from subscribers where page_id = ${pageId} and status = 'active'`
    ).pipe(Effect.map((rows) => rows.map(({ language }) => language)))

  /** Whether subscribers are notified of an update. */
  const notifies = (workspaceId: WorkspaceId, updateId: string) =>
    exists(sql`select 1 from incident_updates where workspace_id = ${workspaceId} and id = ${updateId} and notify`)

  return { plan, prepare, languagesOf, notifies }
}

const heldAgain = ({ attempts, heldComponents, ...subscriber }: Retry) => ({ subscriber, componentIds: heldComponents, attempts })

/** Takes deliveries of the broadcasts whose turn it is. */
const makeClaim = (
  sql: SqlClient.SqlClient,
  contentsOf: (one: ReadyBroadcast) => Effect.Effect<Option.Option<BroadcastContents>>
) => {
  const queries = makeClaimQueries(sql)
  const due = makeReadyBroadcasts(sql)

  const expand = Effect.fn("Broadcasts.expand")(
    function*(one: ReadyBroadcast, contents: BroadcastContents, limit: number, now: DateTime.Utc, heldUntil: DateTime.Utc) {
      const found = yield* queries.next(one, limit)
      const reached = found.filter((row) => hears(row, contents))
      const ending = contents.ends ? reached.filter(({ incidentId }) => incidentId !== null).map(({ id }) => id) : []
      yield* queries.endIncident(ending, now)
      yield* queries.create(one, reached, heldUntil)
      return {
        position: found.at(-1)?.id ?? one.position,
        isExpanded: found.length < limit,
        ending: ending.length,
        held: reached.map((subscriber) => ({ subscriber, componentIds: subscriber.componentIds, attempts: 0 }))
      }
    }
  )

  const visit = Effect.fn("Broadcasts.visit")(function*(one: ReadyBroadcast, share: number, now: DateTime.Utc) {
    const heldUntil = DateTime.addDuration(now, broadcastLease)
    const known = yield* contentsOf(one)
    if (Option.isNone(known)) {
      yield* queries.abandon(one, now)
      return { deliveries: [], ending: 0 }
    }
    const contents = known.value
    const due = one.retryAt !== null && DateTime.lessThanOrEqualTo(one.retryAt, now)
    const retries = due ? yield* queries.retries(one, now, heldUntil, share) : []
    const left = Math.max(share - retries.length, 0)
    const next = one.isExpanded || left === 0
      ? { position: one.position, isExpanded: one.isExpanded, ending: 0, held: [] }
      : yield* expand(one, contents, Math.max(left, leastRead), now, heldUntil)
    yield* queries.visited(one, { ...next, now })
    const { eventId, pageId, workspaceId } = one
    const deliveries = [...retries.map(heldAgain), ...next.held].map((held): HeldBroadcast => ({
      eventId,
      pageId,
      workspaceId,
      heldUntil,
      contents,
      ...held
    }))
    return { deliveries, ending: next.ending }
  })

  return Effect.fn("Broadcasts.claim")(function*({ except, now, room }: BroadcastClaimRequest) {
    const limit = Math.min(room, mostVisited)
    const eachOf = (workspaces: number) => visitsOfEach(room, workspaces, { least: leastRead, most: limit })
    const ready = yield* due.ready({ now, limit, eachOf, except })
    const shares = sharesOf(room, ready)
    const visits = yield* Effect.forEach(ready, (one) => visit(one, shares.get(one.workspaceId) ?? 1, now))
    return {
      visited: ready.length,
      ending: visits.reduce((sum, { ending }) => sum + ending, 0),
      deliveries: visits.flatMap(({ deliveries }) => deliveries)
    }
  }, inTransaction(sql))
}

/** Contents of this many broadcasts stay in memory: each claim of a large one needs them again. */
const mostRemembered = 64

const makeContents = (sql: SqlClient.SqlClient) => {
  const remembered = new Map<string, BroadcastContents>()
  const read = findOne(
    Schema.Struct({ contents: Schema.Unknown }),
    (eventId: string, pageId: string) => sql`select contents from broadcasts where event_id = ${eventId} and page_id = ${pageId}`
  )
  return Effect.fnUntraced(function*({ eventId, pageId }: ReadyBroadcast) {
    const key = `${eventId} ${pageId}`
    const known = remembered.get(key)
    if (known !== undefined) return Option.some(known)
    const found = Option.flatMap(yield* read(eventId, pageId), ({ contents }) => decodeContents(contents))
    if (Option.isNone(found)) return found
    const [oldest] = remembered.keys()
    if (remembered.size >= mostRemembered && oldest !== undefined) remembered.delete(oldest)
    remembered.set(key, found.value)
    return found
  })
}

export class Broadcasts extends Effect.Service<Broadcasts>()("belltower/Broadcasts", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const begin = makeBegin(sql)
    const claim = makeClaim(sql, makeContents(sql))

    return {
      ...begin,
      /**
       * Takes deliveries of up to 20 broadcasts: workspaces take turns and get equal parts of the room, those of one that waited
       * longest first.
       */
      claim: (request: BroadcastClaimRequest) =>
        Effect.tap(claim(request), ({ ending }) => (ending > 0 ? signals.send(alarmsSignal) : Effect.void)),
      /** When the next broadcast is ready; none if none is open. */
      nextReadyAt: earliestOf(sql`select nullif(min(ready_at), 'infinity') as at from broadcasts`),
      /**
       * Writes the results of attempts. A failure whose lease ended meanwhile is not written: somebody else holds the delivery. Dies if
       * it waits for a lock for longer than `patienceMs`.
       */
      settle: (settled: ReadonlyArray<Settled>, now: DateTime.Utc, patienceMs: number) =>
        Effect.orDie(writeResults(sql, settled, now, patienceMs)).pipe(
          Effect.tap((woken) => (woken > 0 ? signals.send(alarmsSignal) : Effect.void)),
          Effect.asVoid
        ),
      renew: (held: ReadonlyArray<HeldBroadcast>, now: DateTime.Utc) =>
        Effect.orDie(renewLeases(sql, held, DateTime.addDuration(now, broadcastLease))),
      /** Makes everything due now, after the database's clock was wrong. */
      recall: Effect.fn("Broadcasts.recall")(function*(at: DateTime.Utc) {
        const now = DateTime.toDateUtc(at)
        yield* sql`update subscriber_deliveries set due_at = ${now} where due_at > ${now}`
        yield* sql`
          update broadcasts
          set visited_at = least(visited_at, ${now}), retry_at = case when retry_at < 'infinity' then least(retry_at, ${now}) else retry_at end
          where ready_at > ${now} and ready_at < 'infinity'`
      }, inTransaction(sql)),
      /** Wakes the workers of all runners. */
      notify: signals.send(broadcastsSignal),
      /** Deletes a batch of broadcasts of more than 30 days ago. Returns whether there may be more. */
      prune: Effect.fn("Broadcasts.prune")(function*(now: DateTime.Utc) {
        const gone = yield* sql`
          delete from broadcasts where (event_id, page_id) in (
            select event_id, page_id from broadcasts
            where created_at < ${DateTime.toDateUtc(DateTime.subtractDuration(now, retention))} limit ${pruneBatch}
          ) returning 1`
        return gone.length === pruneBatch
      }, Effect.orDie)
    }
  })
}) {}
