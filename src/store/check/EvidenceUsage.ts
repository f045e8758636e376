/** Counts the evidence that each workspace stores in a day, over all processes, and says what still fits into its quota. */
import { SqlClient } from "@effect/sql"
import { Context, Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { defaultEvidenceQuota, fitting } from "../../domain/check/history/EvidenceSampling.ts"

/** Bytes of evidence that a workspace may store in a UTC day. */
export class EvidenceQuota extends Context.Reference<EvidenceQuota>()("belltower/EvidenceQuota", {
  defaultValue: () => defaultEvidenceQuota
}) {}

interface Evidence {
  readonly workspaceId: WorkspaceId
  readonly bytes: number
}

export class EvidenceUsage extends Effect.Service<EvidenceUsage>()("belltower/EvidenceUsage", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const quota = yield* EvidenceQuota

    /** In order of id, so that two processes do not deadlock. */
    const count = (bytes: ReadonlyMap<WorkspaceId, number>) =>
      sql<{ readonly workspaceId: WorkspaceId; readonly total: number }>`
        insert into evidence_usage as used (workspace_id, day, bytes)
        select id, (now() at time zone 'UTC')::date, bytes
        from unnest(${[...bytes.keys()]}::text[], ${[...bytes.values()]}::bigint[]) as wanted (id, bytes) order by id
        on conflict (workspace_id, day) do update set bytes = used.bytes + excluded.bytes
        returning workspace_id as "workspaceId", bytes as total`

    return {
      /** Counts pieces of evidence as produced today. Returns, for each piece, whether it is within the quota and may be stored. */
      admit: Effect.fn("EvidenceUsage.admit")(function*(pieces: ReadonlyArray<Evidence>) {
        const byWorkspace = new Map<WorkspaceId, Array<number>>()
        pieces.forEach(({ workspaceId }, index) => {
          byWorkspace.set(workspaceId, [...byWorkspace.get(workspaceId) ?? [], index])
        })
        const bytesAt = (index: number) => pieces[index]?.bytes ?? 0
        const sums = new Map([...byWorkspace].map(([id, at]) => [id, at.reduce((sum, index) => sum + bytesAt(index), 0)]))
        const admitted = new Array<boolean>(pieces.length).fill(false)
        for (const { total, workspaceId } of yield* count(sums)) {
          const at = byWorkspace.get(workspaceId) ?? []
          const before = total - (sums.get(workspaceId) ?? 0)
          fitting(at.map(bytesAt), before, quota).forEach((fits, order) => {
            const index = at[order]
            if (index !== undefined) admitted[index] = fits
          })
        }
        return admitted
      }),
      /** Forgets the days before yesterday. */
      sweep: Effect.orDie(sql`delete from evidence_usage where day < (now() at time zone 'UTC')::date - 1`)
    }
  })
}) {}
