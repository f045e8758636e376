/** Sends the weekly digests that are due, each in one transaction, so that none is lost or doubled; one that fails is put off. */
import { SqlClient } from "@effect/sql"
import { Array, DateTime, Duration, Effect, Option } from "effect"
import type { Digest } from "../../schema/digest/Digest.ts"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { digestWeek, type Period } from "../../src/domain/digest/DigestWeek.ts"
import { Links } from "../../src/links/Links.ts"
import { digestMail } from "../../src/notify/mail/DigestMail.ts"
import { AiTexts } from "../../src/services/ai/AiTexts.ts"
import { DigestBuilder } from "../../src/services/digest/DigestBuilder.ts"
import { Digests } from "../../src/store/digest/Digests.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { MailMode } from "../../src/store/mail/MailMode.ts"
import { Mails } from "../../src/store/mail/Mails.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { singletonEvery } from "../SingletonEvery.ts"

type DueWorkspace = Effect.Effect.Success<ReturnType<Digests["due"]>>[number]

interface Built extends ReturnType<typeof digestWeek> {
  readonly workspace: DueWorkspace
  readonly now: DateTime.Utc
  readonly digest: Digest | null
}

const batch = 16

/** After a failure, the digest of a workspace is made again. Its week is over when the next one is due. */
const pause = Duration.hours(1)

/** After that, digests that are due have no text by AI. */
const latestForText = Duration.minutes(10)

const makeApart = Effect.map(
  Digests,
  ({ schedule }) =>
  /** None if it failed: then the workspace is due again after a pause. Fails only if that cannot be written, so nothing is lost. */
  <A>({ id }: DueWorkspace, now: DateTime.Utc, work: Effect.Effect<A, unknown>): Effect.Effect<Option.Option<A>> => {
    const again = DateTime.addDuration(now, pause)
    return Effect.catchAllCause(
      Effect.asSome(work),
      (cause) =>
        Effect.logError(`Digest of workspace ${id} failed; trying again at ${DateTime.formatIso(again)}`, cause).pipe(
          Effect.zipRight(schedule(id, again)),
          Effect.as(Option.none())
        )
    )
  }
)

export const makeSendDigests = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const digests = yield* Digests
  const apart = yield* makeApart
  const builder = yield* DigestBuilder
  const texts = yield* AiTexts
  const events = yield* EventLog
  const mails = yield* Mails
  const mode = yield* MailMode
  const links = yield* Links
  const clock = yield* DatabaseClock

  /** Null if the week has nothing to report: the workspace is younger, or has no monitors. */
  const build = Effect.fnUntraced(function*(workspace: DueWorkspace, period: Period) {
    if (DateTime.greaterThanOrEqualTo(workspace.createdAt, period.to)) return null
    const digest = yield* builder.build(workspace, period)
    return digest.monitors.total === 0 ? null : digest
  })

  const send = Effect.fnUntraced(function*(workspaceId: WorkspaceId, digest: Digest, week: string, now: DateTime.Utc) {
    const recipients = yield* digests.recipients(workspaceId)
    const expiresAt = DateTime.add(now, { days: 6 })
    const mail = { workspaceId, priority: "bulk", ...digestMail(digest, links.app("digest")), expiresAt } as const
    yield* Effect.forEach(recipients, ({ email }) => mails.send({ ...mail, to: email }), { discard: true })
    const [eventId] = yield* events.append(workspaceId, [{ type: "digest.weekly", data: digest }])
    if (eventId === undefined) return
    const run = { week, eventId, recipients: recipients.length, captured: (yield* mode) === "captured", sentAt: now }
    yield* digests.recordRun(workspaceId, run)
  })

  /** Adds a text by AI if the week was eventful and the digest is not late: a slow provider delays digests by minutes at most. */
  const withText = ({ digest, now, workspace }: Built) => {
    if (digest === null || (digest.incidents.total === 0 && digest.monitors.downSeconds === 0)) return Effect.succeed(digest)
    if (DateTime.distance(workspace.dueAt, now) > Duration.toMillis(latestForText)) return Effect.succeed(digest)
    return Effect.map(texts.digest(digest, "background"), (ai): Digest => ({ ...digest, ai }))
  }

  // Outside of the transaction: it takes long for thousands of monitors, and the lock holds up the workspace's events.
  const buildOne = Effect.fnUntraced(function*(workspace: DueWorkspace, now: DateTime.Utc) {
    const week = digestWeek(now, workspace.timezone)
    const built: Built = { workspace, now, ...week, digest: yield* build(workspace, week.period) }
    return built
  })

  const sendOne = ({ nextAt, now, week, workspace: { id } }: Built, digest: Digest | null) =>
    Effect.gen(function*() {
      const ran = yield* digests.lockRan(id, week)
      if (!ran && digest !== null) yield* send(id, digest, week, now)
      yield* digests.schedule(id, nextAt)
    }).pipe(sql.withTransaction)

  const some = Effect.gen(function*() {
    const now = yield* clock.now
    const due = yield* digests.due(now, batch)
    const built = yield* Effect.forEach(due, (workspace) => apart(workspace, now, buildOne(workspace, now)))
    const written = yield* Effect.forEach(
      Array.getSomes(built),
      (one) => apart(one.workspace, now, Effect.map(withText(one), (digest) => ({ one, digest }))),
      { concurrency: batch }
    )
    yield* Effect.forEach(
      Array.getSomes(written),
      ({ digest, one }) => apart(one.workspace, now, sendOne(one, digest)),
      { discard: true }
    )
    return due.length > 0
  })

  /** Makes every digest that is due. After a downtime of weeks, only the last week has one. */
  return Effect.repeat(some, { while: (more) => more }).pipe(Effect.asVoid, Effect.withSpan("SendDigests"))
})

export const DigestUpkeep = singletonEvery("DigestUpkeep", "1 minute", makeSendDigests)
