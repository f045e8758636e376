/** The sessions of users, looked up by the SHA-256 of their token. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { SessionId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { User } from "../../../schema/people/User.ts"
import { Role } from "../../../schema/workspace/Workspace.ts"
import { sessionLifetime } from "../../domain/people/SessionLifetime.ts"
import { mint, randomToken } from "../Mint.ts"
import { atNow, exists, findAll, findOne, write } from "../postgres/Queries.ts"
import { both, nothing, readAll, readFirst, run } from "../postgres/Read.ts"
import { sweepHourly } from "../Sweep.ts"
import { tokenHash } from "../Vault.ts"

/** The time limit for the second factor after the first. */
const secondStepLifetime = Duration.minutes(10)

/** The precision of the last-seen time, so that a busy session does not update its row on every request. */
const seenWithin = Duration.minutes(5)

const SessionRow = Schema.Struct({
  id: SessionId,
  userId: UserId,
  /** The workspace it was last switched to. */
  workspaceId: Schema.NullOr(WorkspaceId),
  lastSeenAt: Schema.DateTimeUtcFromDate
})
type SessionRow = typeof SessionRow.Type

export interface SignedIn {
  readonly session: SessionRow
  readonly user: User
}

const Membership = Schema.Struct({ workspaceId: WorkspaceId, role: Role })

const readPerson = readFirst(Schema.Struct({ ...SessionRow.fields, user: User }))

const readJoined = readAll(Schema.Struct({ id: WorkspaceId, name: Schema.String, role: Role }))

const ListedSession = Schema.Struct({
  id: SessionId,
  via: Schema.String,
  ip: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  createdAt: Schema.DateTimeUtcFromDate,
  lastSeenAt: Schema.DateTimeUtcFromDate,
  expiresAt: Schema.DateTimeUtcFromDate
})

interface SessionStart {
  readonly userId: UserId
  /** `email`, `google`, `github`. */
  readonly via: string
  readonly ip: string | null
  readonly userAgent: string | null
  /** Whether it began with a link that the operator printed for themselves. */
  readonly ofOperator?: boolean
}

export class Sessions extends Effect.Service<Sessions>()("belltower/Sessions", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const byHash = findOne(SessionRow, (hash: Uint8Array, now: DateTime.Utc, waiting: boolean) =>
      sql`
        select id, user_id as "userId", workspace_id as "workspaceId", last_seen_at as "lastSeenAt" from sessions
        where token_hash = ${Buffer.from(hash)} and expires_at > ${
        DateTime.toDateUtc(now)
      } and awaits_second_factor = ${waiting}`)

    // The given workspace first, then the one joined first.
    const memberships = findOne(Membership, (userId: UserId, workspaceId: string | null, only: boolean) =>
      sql`
        select m.workspace_id as "workspaceId", m.role
        from memberships m join workspaces w on w.id = m.workspace_id and w.deleted_at is null
        where m.user_id = ${userId} and (not ${only} or m.workspace_id = ${workspaceId})
        order by m.workspace_id is not distinct from ${workspaceId} desc, m.created_at, m.workspace_id limit 1`)

    const touch = Effect.fn("Sessions.touch")(function*(session: SessionRow, now: DateTime.Utc) {
      const recent = DateTime.subtractDuration(now, seenWithin)
      if (DateTime.greaterThan(session.lastSeenAt, recent)) return
      yield* sql`update sessions set last_seen_at = ${DateTime.toDateUtc(now)} where id = ${session.id}`
    }, Effect.orDie)

    const look = Effect.fn("Sessions.look")(function*(token: string, waiting: boolean) {
      const now = yield* DateTime.now
      const session = yield* byHash(tokenHash(token), now, waiting)
      if (Option.isSome(session)) yield* touch(session.value, now)
      return session
    })

    /** The session of a token and its user; with `joined` also the user's workspaces in the order of joining. One round trip. */
    const lookAtPerson = Effect.fn("Sessions.lookAtPerson")(function*(token: string, joined: boolean) {
      const now = yield* DateTime.now
      const valid = sql`s.token_hash = ${tokenHash(token)} and s.expires_at > ${
        DateTime.toDateUtc(now)
      } and not s.awaits_second_factor`
      const person = readPerson(sql`
        select s.id, s.user_id as "userId", s.workspace_id as "workspaceId", s.last_seen_at as "lastSeenAt",
               json_build_object('id', u.id, 'email', coalesce(u.shown_email, u.email), 'name', u.name) as user
        from sessions s join users u on u.id = s.user_id where ${valid}`)
      const workspaces = readJoined(sql`
        select w.id, w.name, m.role
        from sessions s join memberships m on m.user_id = s.user_id join workspaces w on w.id = m.workspace_id
        where ${valid} and w.deleted_at is null order by m.created_at, w.id`)
      const [found, theirs] = yield* run(both(person, joined ? workspaces : nothing([])))
      if (Option.isSome(found)) yield* touch(found.value, now)
      return Option.map(found, ({ user, ...session }) => ({ session, user, workspaces: theirs }))
    })

    yield* sweepHourly("Old sessions", atNow((now) => sql`delete from sessions where expires_at < ${now}`))

    return {
      /** Creates a session. Its token is returned only here. A session that awaits the second factor grants no access yet. */
      create: Effect.fn("Sessions.create")(function*(start: SessionStart, awaitsSecondFactor: boolean) {
        const id = yield* mint("ses", SessionId)
        const token = yield* randomToken(40)
        const now = yield* DateTime.now
        const expiresAt = DateTime.addDuration(now, awaitsSecondFactor ? secondStepLifetime : sessionLifetime)
        const at = DateTime.toDateUtc(now)
        yield* sql`
          insert into sessions
            (id, user_id, token_hash, awaits_second_factor, via, ip, user_agent, of_operator, created_at, expires_at, last_seen_at)
          values (${id}, ${start.userId}, ${tokenHash(token)}, ${awaitsSecondFactor}, ${start.via}, ${start.ip},
                  ${start.userAgent?.slice(0, 300) ?? null}, ${start.ofOperator ?? false}, ${at}, ${
          DateTime.toDateUtc(expiresAt)
        }, ${at})`
        return { id, token, awaitsSecondFactor }
      }, Effect.orDie),
      /** Activates a session that awaited its second factor, with a new token, so that the old one never grants access. */
      admit: Effect.fn("Sessions.admit")(function*(id: SessionId) {
        const token = yield* randomToken(40)
        const now = yield* DateTime.now
        yield* sql`
          update sessions
          set token_hash = ${tokenHash(token)}, awaits_second_factor = false, last_seen_at = ${DateTime.toDateUtc(now)},
              expires_at = ${DateTime.toDateUtc(DateTime.addDuration(now, sessionLifetime))}
          where id = ${id} and awaits_second_factor`
        return token
      }, Effect.orDie),
      /** The session of a token; none when it is unknown, expired, or still awaits its second factor. */
      find: (token: string) => look(token, false),
      /** The session of a token like `find`, with its user. */
      person: (token: string) => lookAtPerson(token, false),
      /** The same with the user's workspaces, in the order of joining. */
      personWithWorkspaces: (token: string) => lookAtPerson(token, true),
      /** The session of a token that still awaits its second factor. */
      findWaiting: (token: string) => look(token, true),
      /** The workspace and role of a session: in `asked` if given, none when not a member; else in its current workspace. */
      membership: (session: SessionRow, asked: Option.Option<string>) =>
        memberships(session.userId, Option.getOrElse(asked, () => session.workspaceId), Option.isSome(asked)),
      /** A user's active sessions, most recently seen first. */
      list: findAll(ListedSession, (userId: UserId) =>
        atNow((now) =>
          sql`
        select id, via, ip, user_agent as "userAgent", created_at as "createdAt", last_seen_at as "lastSeenAt",
               expires_at as "expiresAt"
        from sessions where user_id = ${userId} and expires_at > ${now} and not awaits_second_factor
        order by last_seen_at desc, id`
        )),
      /** Ends a session of a user. False when it does not exist. */
      end: (userId: UserId, id: SessionId) =>
        exists(sql`delete from sessions where user_id = ${userId} and id = ${id} returning id`),
      /** Ends all sessions of a user except `kept`, including those awaiting a second factor. Returns the number ended. */
      endOthers: Effect.fn("Sessions.endOthers")(function*(userId: UserId, kept: SessionId) {
        return (yield* sql`delete from sessions where user_id = ${userId} and id <> ${kept} returning id`).length
      }, Effect.orDie),
      /** Ends the session of a token, even if it still awaits its second factor. */
      endByToken: (token: string) => write(sql`delete from sessions where token_hash = ${tokenHash(token)}`),
      /** Whether a session is the operator's: a link printed on the server for the operator has started it. */
      isOfOperator: (id: SessionId) =>
        exists(sql`select from sessions where id = ${id} and of_operator and not awaits_second_factor`),
      switchTo: (id: SessionId, workspaceId: WorkspaceId) =>
        write(sql`update sessions set workspace_id = ${workspaceId} where id = ${id}`)
    }
  })
}) {}
