/** The history of manual components: it begins with the status that each has now. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Spans that an earlier source left open would otherwise go on.
  yield* sql`
    update component_spans s set ended_at = greatest(s.started_at, now())
    from components c where c.id = s.component_id and c.manual and s.ended_at is null`
  yield* sql`
    insert into component_spans (component_id, workspace_id, started_at, state)
    select s.component_id, s.workspace_id, now(), s.status
    from component_states s join components c on c.id = s.component_id where c.manual and s.status is not null
    on conflict do nothing`
})
