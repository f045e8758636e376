/**
 * The tokens of acknowledge links, and the names of those who receive them. A token is signed, so that nothing is stored, and
 * valid for three days.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { LinkKeys } from "../LinkKeys.ts"
import { findOne } from "../postgres/Queries.ts"

const lifetime = Duration.days(3)

/** 128 bits: a path parameter has at most 100 characters. */
const signatureBytes = 16

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

    const place = findOne(
      Schema.Struct({ workspaceId: WorkspaceId }),
      (id: IncidentId) => sql`select workspace_id as "workspaceId" from incidents where id = ${id}`
    )

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
      /** The incident of a token, with its workspace, and the recipient; none for an invalid token or a deleted incident. */
      read: Effect.fn("AcknowledgeTokens.read")(function*(token: string, now: DateTime.Utc) {
        const claim = verified(token, now)
        if (Option.isNone(claim)) return Option.none()
        const found = yield* place(claim.value.incidentId)
        return Option.map(found, ({ workspaceId }) => ({ ...claim.value, workspaceId }))
      }),
      /** The name of a recipient, or the address of a member; none if the channel was deleted or the person has left. */
      nameOf: (workspaceId: WorkspaceId, id: string) => Effect.map(name(workspaceId, id), Option.map((found) => found.name))
    }
  })
}) {}
