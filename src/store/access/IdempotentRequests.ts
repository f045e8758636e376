/** Requests with an idempotency key: in progress, or completed with their stored response. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Schedule, Schema, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { StoredAnswer } from "../../../schema/access/StoredAnswer.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { findAll } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { Wakeups } from "../postgres/Wakeups.ts"
import { cellOf } from "../SealedColumns.ts"
import { sweepHourly } from "../Sweep.ts"
import { Vault } from "../Vault.ts"

/** How long a response is kept. (Specification: Limits, Idempotency.) */
const keptFor = Duration.days(1)

/** A process that does not renew its request within this time counts as dead. */
const lease = Duration.seconds(30)

const renewEvery = Duration.seconds(10)

/** The polling interval that covers missed notifications. */
const lookEvery = Duration.seconds(1)

/** Notified with the place of a request that has ended, successfully or not. */
const channel = "belltower_idempotent"

export interface RepeatableRequest {
  readonly workspaceId: WorkspaceId
  /** Informational, for reading the rows. */
  readonly operation: string
  /** Hash of the caller, the endpoint and the key. */
  readonly place: Buffer
  /** Hash of the request's content. The same key with a different fingerprint is rejected. */
  readonly fingerprint: Buffer
}

/** The status of a request: claimed by the caller to run, answered, in progress, or different from the first one. */
export type Standing =
  | { readonly _tag: "Claimed"; readonly owner: string }
  | { readonly _tag: "Answered"; readonly answer: StoredAnswer }
  | { readonly _tag: "UnderWay" }
  | { readonly _tag: "Different" }

const cellOfAnswer = ({ place, workspaceId }: RepeatableRequest) => cellOf("idempotent_requests.answer", workspaceId, place)

const answerText = Schema.parseJson(StoredAnswer)
const encodeAnswer = Schema.encode(answerText)
const decodeAnswer = Schema.decode(answerText)

export class IdempotentRequests extends Effect.Service<IdempotentRequests>()("belltower/IdempotentRequests", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const wakeups = yield* Wakeups
    const signals = yield* Signals

    const seconds = (duration: Duration.Duration) => sql`make_interval(secs => ${Duration.toSeconds(duration)})`

    const read = findAll(
      Schema.Struct({ fingerprint: Schema.Uint8ArrayFromSelf, answer: Schema.NullOr(Schema.String) }),
      ({ place, workspaceId }: RepeatableRequest) =>
        sql`
        select fingerprint, answer from idempotent_requests
        where workspace_id = ${workspaceId} and place = ${place}`
    )

    /** Claims the place when it is new, a day old, or held by a dead process. Uses only the database's clock. */
    const claim = Effect.fn("IdempotentRequests.claim")(function*(request: RepeatableRequest) {
      const { fingerprint, operation, place, workspaceId } = request
      const owner = randomUUID()
      const taken = yield* sql`
        insert into idempotent_requests as known
          (workspace_id, place, operation, fingerprint, owner, held_until, created_at)
        values (${workspaceId}, ${place}, ${operation}, ${fingerprint}, ${owner},
                statement_timestamp() + ${seconds(lease)}, statement_timestamp())
        on conflict (workspace_id, place) do update set
          fingerprint = excluded.fingerprint, owner = excluded.owner, held_until = excluded.held_until,
          answer = null, created_at = excluded.created_at
        where known.created_at <= excluded.created_at - ${seconds(keptFor)}
          or (known.answer is null and known.held_until <= excluded.created_at)
        returning owner`
      return taken.length === 0 ? null : owner
    }, Effect.orDie)

    const notifyEnd = (place: Buffer) => signals.send(channel, place.toString("hex"))

    const sweep = sql`delete from idempotent_requests where created_at <= statement_timestamp() - ${seconds(keptFor)}`
    yield* sweepHourly("Old idempotent answers", sweep)

    return {
      standing: Effect.fn("IdempotentRequests.standing")(function*(
        request: RepeatableRequest
      ): Effect.fn.Return<Standing> {
        const owner = yield* claim(request)
        if (owner !== null) return { _tag: "Claimed", owner }
        const [row] = yield* read(request)
        // The row was deleted in between because the run failed. The next attempt claims the place.
        if (row === undefined) return { _tag: "UnderWay" }
        if (!request.fingerprint.equals(row.fingerprint)) return { _tag: "Different" }
        if (row.answer === null) return { _tag: "UnderWay" }
        const answer = yield* Effect.orDie(Effect.flatMap(vault.unseal(cellOfAnswer(request), row.answer), decodeAnswer))
        return { _tag: "Answered", answer }
      }),
      /** Emits when the request may have ended, and at least once a second. Call `standing` after each element. */
      news: ({ place }: RepeatableRequest): Stream.Stream<void> =>
        Stream.merge(
          Stream.filter(wakeups.listen(channel), (ended) => ended === "" || ended === place.toString("hex")),
          Stream.fromSchedule(Schedule.spaced(lookEvery))
        ).pipe(Stream.map(() => undefined)),
      /** Renews the lease of the process that runs the request, until interrupted. */
      renew: ({ place, workspaceId }: RepeatableRequest, owner: string): Effect.Effect<never> =>
        sql`
          update idempotent_requests set held_until = statement_timestamp() + ${seconds(lease)}
          where workspace_id = ${workspaceId} and place = ${place} and owner = ${owner}`.pipe(
          Effect.catchAllCause((cause) => Effect.logWarning("The lease of an idempotent request could not be renewed", cause)),
          Effect.delay(renewEvery),
          Effect.forever
        ),
      /**
       * Stores the response, in the caller's transaction if there is one. It is sealed because it may contain a secret that is
       * shown only once. False if another run has taken the request over, so that this run must not commit.
       */
      finish: Effect.fn("IdempotentRequests.finish")(function*(request: RepeatableRequest, owner: string, answer: StoredAnswer) {
        const sealed = yield* vault.seal(cellOfAnswer(request), yield* encodeAnswer(answer))
        const stored = yield* sql`
          update idempotent_requests set answer = ${sealed}
          where workspace_id = ${request.workspaceId} and place = ${request.place} and owner = ${owner}
          returning owner`
        yield* notifyEnd(request.place)
        return stored.length > 0
      }, Effect.orDie),
      /** Frees the place of a request that failed, so that the next repeat runs it again. */
      release: Effect.fn("IdempotentRequests.release")(function*({ place, workspaceId }: RepeatableRequest, owner: string) {
        yield* sql`
          delete from idempotent_requests
          where workspace_id = ${workspaceId} and place = ${place} and owner = ${owner} and answer is null`
        yield* notifyEnd(place)
      }, Effect.orDie)
    }
  })
}) {}
