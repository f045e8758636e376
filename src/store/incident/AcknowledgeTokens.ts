/**
 * The tokens of acknowledge links, and the names of those who receive them. A token is signed, so that nothing is stored, and
 * valid for three days.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { IncidentId, PagingId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { idBytes, idOf } from "../../domain/tools/Id.ts"
import { LinkKeys } from "../LinkKeys.ts"
import { findOne } from "../postgres/Queries.ts"

const lifetime = Duration.days(3)

/** 128 bits: a path parameter has at most 100 characters. */
const signatureBytes = 16

/** The bytes of a page's id, and 8 of the signature: so short that a text has room for words beside it. */
const pageForm = /^([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{11})$/
const pageSignatureBytes = 8

const prefixes = { c: "ch_", u: "usr_" } as const

/** The recipient of a link: an alert channel or a person, by id. */
interface Claim {
  readonly incidentId: IncidentId
  readonly recipient: string
}

/** The bodies of both ids, when it expires in seconds since 1970 in base 36, and the signature. */
const form = /^([0-9a-z]{26})([cu])([0-9a-z]{26})([0-9a-z]{7})([A-Za-z0-9_-]{22})$/

const bodyOf = (id: string): string => id.slice(id.indexOf("_") + 1)

export class AcknowledgeTokens extends Effect.Service<AcknowledgeTokens>()("belltower/AcknowledgeTokens", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signer = yield* LinkKeys

    const incidentOf = findOne(
      Schema.Struct({ workspaceId: WorkspaceId }),
      (id: IncidentId) =>
        sql`
        select i.workspace_id as "workspaceId" from incidents i
        join workspaces w on w.id = i.workspace_id and w.deleted_at is null where i.id = ${id}`
    )

    /** The page of a token, while its link is valid. The row says what the token does not. */
    const ofPaging = findOne(
      Schema.Struct({ workspaceId: WorkspaceId, incidentId: IncidentId, recipient: UserId }),
      (id: PagingId, since: Date) =>
        sql`
        select p.workspace_id as "workspaceId", p.incident_id as "incidentId", p.user_id as recipient
        from pagings p join workspaces w on w.id = p.workspace_id and w.deleted_at is null
        where p.id = ${id} and p.created_at > ${since}`
    )

    /** The page of a token that this deployment signed. */
    const pageOf = (token: string): Option.Option<PagingId> => {
      const [, id = "", given = ""] = pageForm.exec(token) ?? []
      return signer.wasSigned(`acknowledge page ${id}`, given, pageSignatureBytes)
        ? Option.some(PagingId.make(idOf("pgn", Buffer.from(id, "base64url"))))
        : Option.none()
    }

    const name = findOne(Schema.Struct({ name: Schema.String }), (workspaceId: WorkspaceId, id: string) =>
      sql`
        select name from channels where workspace_id = ${workspaceId} and id = ${id}
        union all
        select coalesce(u.shown_email, u.email) from memberships m join users u on u.id = m.user_id
        where m.workspace_id = ${workspaceId} and m.user_id = ${id}`)

    /** The claim of a token, if this deployment signed it and it has not expired. */
    const verified = (token: string, now: DateTime.Utc): Option.Option<Claim> => {
      const [, incident = "", kind = "", recipient = "", until = "", given = ""] = form.exec(token) ?? []
      if (!signer.wasSigned(`acknowledge ${incident}${kind}${recipient}${until}`, given, signatureBytes)) return Option.none()
      return Number.parseInt(until, 36) * 1000 < DateTime.toEpochMillis(now)
        ? Option.none()
        : Option.some({
          incidentId: IncidentId.make(`inc_${incident}`),
          recipient: `${kind === "c" ? prefixes.c : prefixes.u}${recipient}`
        })
    }

    return {
      /** A token that is valid for three days from `now`. */
      make: ({ incidentId, recipient }: Claim, now: DateTime.Utc): string => {
        const until = Math.floor(DateTime.toEpochMillis(DateTime.addDuration(now, lifetime)) / 1000)
        const kind = recipient.startsWith(prefixes.c) ? "c" : "u"
        const text = `${bodyOf(incidentId)}${kind}${bodyOf(recipient)}${until.toString(36).padStart(7, "0")}`
        return `${text}${signer.sign(`acknowledge ${text}`, signatureBytes)}`
      },
      /** A token of a page to a person, which is valid for three days from when the page was planned. */
      ofPage: (id: PagingId): string => {
        const bytes = Buffer.from(idBytes(id) ?? []).toString("base64url")
        return `${bytes}${signer.sign(`acknowledge page ${bytes}`, pageSignatureBytes)}`
      },
      /** The incident of a token, with its workspace, and the recipient; none for an invalid token or a deleted incident. */
      read: Effect.fn("AcknowledgeTokens.read")(function*(token: string, now: DateTime.Utc) {
        const page = pageOf(token)
        if (Option.isSome(page)) {
          return yield* ofPaging(page.value, DateTime.toDateUtc(DateTime.subtractDuration(now, lifetime)))
        }
        const claim = verified(token, now)
        if (Option.isNone(claim)) return Option.none()
        const found = yield* incidentOf(claim.value.incidentId)
        return Option.map(found, ({ workspaceId }) => ({ ...claim.value, workspaceId }))
      }),
      /** The name of a recipient, or the address of a member; none if the channel was deleted or the person has left. */
      nameOf: (workspaceId: WorkspaceId, id: string) => Effect.map(name(workspaceId, id), Option.map((found) => found.name))
    }
  })
}) {}
