/** The rows of mails: inserted in the transaction of the change that they report, then sent by a worker or kept for reading. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { optional } from "../../../schema/Fields.ts"
import { MailId, type UserId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { type MailPriority, priorityNumber } from "../../domain/mail/MailSlots.ts"
import { mint } from "../Mint.ts"
import { DatabaseClock } from "../postgres/DatabaseClock.ts"
import { atNow, findAll, findOne } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { cellOf } from "../SealedColumns.ts"
import { Vault } from "../Vault.ts"
import { MailMode } from "./MailMode.ts"
import { type HeldMail, mailsSignal } from "./MailQueue.ts"

const retention = Duration.days(30)
const pruneBatch = 1000

/** The content of a mail, and its headers beside those of every mail. */
export const MailContent = Schema.Struct({
  text: Schema.String,
  html: Schema.String,
  headers: optional(Schema.Record({ key: Schema.String, value: Schema.String }))
})
export type MailContent = typeof MailContent.Type

const Sealed = Schema.parseJson(MailContent)
const encode = Schema.encodeSync(Sealed)
const decode = Schema.decodeSync(Sealed)

interface OutgoingMail extends MailContent {
  /** The workspace that sends it; null for mail that concerns only a person, such as a sign-in link. */
  readonly workspaceId: WorkspaceId | null
  /** Its order while many mails wait. */
  readonly priority: MailPriority
  readonly to: EmailAddress
  readonly subject: string
  /** The mail is not sent after this time; null for no limit. */
  readonly expiresAt: DateTime.Utc | null
  /** The mode when its link was made: a mailed link proves an address, so it is never captured. Default: the current mode. */
  readonly mode?: "sent" | "captured"
}

const Listed = Schema.Struct({
  id: MailId,
  to: Schema.String,
  subject: Schema.String,
  createdAt: Schema.DateTimeUtcFromDate
})

export class Mails extends Effect.Service<Mails>()("belltower/Mails", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const vault = yield* Vault
    const currentMode = yield* MailMode
    const clock = yield* DatabaseClock

    /**
     * The captured mails that a person may read: those to an address that they have proved, those that workspaces of theirs
     * sent, and the sign-in links of people who have proved nothing and belong only to these workspaces. Without a mail
     * server, the owner passes these on. An owner must not read the links of a person who could enter another workspace.
     */
    const readable = sql.literal(`
      m.status = 'captured' and (
        m.recipient = (select email from users where id = me.id and email_proved_at is not null)
        or m.workspace_id in (select workspace_id from owned)
        or (m.workspace_id is null and exists (
          select from users u join memberships s on s.user_id = u.id
          where u.email = m.recipient and u.email_proved_at is null and s.workspace_id in (select workspace_id from owned)
        ) and not exists (
          select from users u join memberships s on s.user_id = u.id
          where u.email = m.recipient and s.workspace_id not in (select workspace_id from owned)
        )))`)
    const reading = (userId: string) =>
      sql`
      with me as (select ${userId}::text as id),
           owned as (select workspace_id from memberships, me where user_id = me.id and role = 'owner')`
    const isFresh = (now: Date) => sql`(m.expires_at is null or m.expires_at > ${now})`

    const one = findOne(
      Schema.Struct({ ...Listed.fields, sealed: Schema.String }),
      (userId: UserId, id: MailId) =>
        atNow((now) =>
          sql`
        ${reading(userId)}
        select m.id, m.recipient as "to", m.subject, m.created_at as "createdAt", m.sealed
        from mails m, me where m.id = ${id} and m.sealed is not null and ${readable} and ${isFresh(now)}`
        )
    )

    const open = (id: MailId, sealed: string) => Effect.map(vault.unseal(cellOf("mails.sealed", id), sealed), decode)

    return {
      /** Queues a mail in the caller's transaction. It is sent only if that commits, and it survives a restart. */
      send: Effect.fn("Mails.send")(function*(mail: OutgoingMail) {
        const id = yield* mint("mail", MailId)
        const expiresAt = mail.expiresAt === null ? null : DateTime.toDateUtc(mail.expiresAt)
        const content = encode({ text: mail.text, html: mail.html, headers: mail.headers ?? {} })
        const sealed = yield* vault.seal(cellOf("mails.sealed", id), content)
        const now = DateTime.toDateUtc(yield* clock.now)
        const mode = mail.mode ?? (yield* currentMode)
        yield* sql`
          insert into mails (id, workspace_id, priority, recipient, subject, sealed, status, due_at, expires_at, created_at)
          values (${id}, ${mail.workspaceId}, ${priorityNumber[mail.priority]}, ${mail.to}, ${mail.subject}, ${sealed},
                  ${mode === "sent" ? "due" : "captured"}, ${now}, ${expiresAt}, ${now})`
        if (mode === "sent") yield* signals.send(mailsSignal)
        return id
      }, Effect.orDie),
      /** The content of a mail; none when it was sent or given up. Dies when the deployment's secret has changed. */
      contentOf: ({ id, sealed }: Pick<HeldMail, "id" | "sealed">) =>
        sealed === null ? Effect.succeed(Option.none<MailContent>()) : Effect.map(open(id, sealed), Option.some),
      /** The newest 100 captured mails that a person may read. */
      captured: findAll(Listed, (userId: UserId) =>
        atNow((now) =>
          sql`
        ${reading(userId)}
        select m.id, m.recipient as "to", m.subject, m.created_at as "createdAt"
        from mails m, me where ${readable} and ${isFresh(now)} order by m.id desc limit 100`
        )),
      /** One captured mail with its content; none when the person may not read it. */
      read: Effect.fn("Mails.read")(function*(userId: UserId, id: MailId) {
        const found = yield* one(userId, id)
        if (Option.isNone(found)) return Option.none()
        const { sealed, ...mail } = found.value
        return Option.some({ ...mail, ...(yield* open(id, sealed)) })
      }),
      /** Deletes a batch of mails older than 30 days. Returns whether there may be more. */
      prune: Effect.fn("Mails.prune")(function*() {
        const before = DateTime.subtractDuration(yield* DateTime.now, retention)
        const gone = yield* sql`
          delete from mails where id in (
            select id from mails where status <> 'due' and created_at < ${DateTime.toDateUtc(before)} limit ${pruneBatch}
          ) returning id`
        return gone.length === pruneBatch
      }, Effect.orDie)
    }
  })
}) {}
