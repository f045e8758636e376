/** The evidence of checks: beside the newest checks as it came, then apart from them and compressed. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import { Evidence } from "../../../schema/check/Check.ts"
import type { CheckId, WorkspaceId } from "../../../schema/Ids.ts"

/** Evidence that leaves the row of its check. */
export interface KeptEvidence {
  readonly id: CheckId
  readonly at: number
  readonly workspaceId: WorkspaceId
  /** JSON. */
  readonly text: string
}

interface Found {
  readonly id: CheckId
  readonly octets: number
}

const decode = Schema.decodeUnknownSync(Schema.parseJson(Evidence))

const datesOf = (checks: ReadonlyArray<{ readonly at: number }>): ReadonlyArray<Date> => checks.map(({ at }) => new Date(at))

export class CheckEvidence extends Effect.Service<CheckEvidence>()("belltower/CheckEvidence", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    type Wanted = ReadonlyArray<{ readonly id: CheckId; readonly at: number }>

    const wanted = (checks: Wanted) =>
      sql`
        wanted as (select * from unnest(${checks.map(({ id }) => id)}::text[], ${
        datesOf(checks)
      }::timestamptz[]) as wanted (id, at))`

    /** How much the evidence of these checks takes as text, bytes. Checks without any are absent. */
    const sizes = (workspaceId: WorkspaceId, checks: Wanted) =>
      Effect.orDie(sql<Found>`
        with ${wanted(checks)}
        select c.id, octet_length(c.evidence::text) as octets from wanted join checks c using (id, at)
        where c.workspace_id = ${workspaceId} and c.evidence is not null
        union select e.id, e.octets from wanted join check_evidence e using (id, at) where e.workspace_id = ${workspaceId}`)

    /** The evidence of these checks by check. Checks without any are absent. */
    const read = (workspaceId: WorkspaceId, checks: Wanted) =>
      Effect.orDie(Effect.map(
        sql<{ readonly id: CheckId; readonly text: string | null; readonly data: Uint8Array | null }>`
          with ${wanted(checks)}
          select c.id, c.evidence::text as text, null as data from wanted join checks c using (id, at)
          where c.workspace_id = ${workspaceId} and c.evidence is not null
          union all
          select e.id, null, e.data from wanted join check_evidence e using (id, at) where e.workspace_id = ${workspaceId}`,
        (rows): ReadonlyMap<CheckId, Evidence> =>
          new Map(rows.map(({ data, id, text }) =>
            [id, decode(text ?? (data === null ? "null" : inflateRawSync(data).toString("utf8")))] as const
          ))
      ))

    /** Stores evidence, in the caller's transaction. */
    const keep = (pieces: ReadonlyArray<KeptEvidence>) =>
      pieces.length === 0 ? Effect.void : Effect.asVoid(sql`
        insert into check_evidence (id, at, workspace_id, octets, data)
        select id, at, workspace_id, octets, decode(data, 'hex')
        from unnest(${pieces.map(({ id }) => id)}::text[], ${datesOf(pieces)}::timestamptz[],
          ${pieces.map(({ workspaceId }) => workspaceId)}::text[], ${pieces.map(({ text }) => Buffer.byteLength(text))}::int[],
          ${pieces.map(({ text }) => deflateRawSync(text).toString("hex"))}::text[])
          as piece (id, at, workspace_id, octets, data)
        on conflict do nothing`)

    return { sizes, read, keep }
  })
}) {}
