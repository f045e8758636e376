/** A page with subscribers and an event on its way to them, written in bulk. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { EventId } from "../../../schema/Ids.ts"
import { makeSecret } from "../../../src/domain/alert/Signature.ts"
import { BroadcastContents } from "../../../src/domain/subscriber/BroadcastContent.ts"
import { cellOf } from "../../../src/store/SealedColumns.ts"
import { SubscriberSecrets } from "../../../src/store/subscriber/SubscriberRows.ts"
import { Vault } from "../../../src/store/Vault.ts"

/** `urlOf` gets the number of the subscriber. */
export const seedBroadcast = Effect.fn("seedBroadcast")(function*(count: number, urlOf: (index: number) => string) {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  yield* sql`
    insert into workspaces (id, name, plan, created_at, updated_at) values ('ws_page', 'Bench', 'self_hosted', now(), now())`
  yield* sql`
    insert into pages (id, workspace_id, name, slug, visibility, theme, branding, settings, seo, created_at, updated_at)
    values ('pg_bench', 'ws_page', 'Bench', 'bench', 'public', '{}', '{}', '{}', '{}', now(), now())`
  const signing = makeSecret(new Uint8Array(32))
  for (let from = 0; from < count; from += 5000) {
    const numbers = Array.from({ length: Math.min(5000, count - from) }, (_, at) => from + at)
    const sealed = yield* Effect.forEach(
      numbers,
      (number) =>
        vault.seal(
          cellOf("subscribers.sealed", `sub_${String(number).padStart(8, "0")}`),
          Schema.encodeSync(SubscriberSecrets)({ url: urlOf(number), signing, manage: "m".repeat(40) })
        )
    )
    yield* sql`
      insert into subscribers (id, workspace_id, page_id, type, status, language, host, target_hash, sealed, manage_hash,
                               created_at, updated_at)
      select 'sub_' || lpad(number::text, 8, '0'), 'ws_page', 'pg_bench', 'webhook', 'active', 'en', host, '\\x00', sealed, '\\x00',
             now(), now()
      from unnest(${numbers}::int[], ${numbers.map((number) => new URL(urlOf(number)).origin)}::text[], ${sealed}::text[])
        as s (number, host, sealed)`
  }
  const contents: BroadcastContents = {
    id: EventId.make("evt_bench"),
    type: "incident.created",
    timestamp: "2026-11-20T08:00:00.000Z",
    tone: "down",
    news: { audience: "all", incidentId: "inc_1", isAfterEnd: false, componentIds: [] },
    ends: false,
    byLanguage: {
      en: {
        page: {
          id: "pg_bench",
          slug: "bench",
          name: "Bench",
          url: "http://b.test",
          status: "degraded",
          statusText: "Degraded",
          api: ""
        },
        data: { incident: { title: "x".repeat(1500) } },
        told: { title: "", text: "", facts: [], link: "" }
      } as never
    }
  }
  yield* sql`
    insert into broadcasts (event_id, page_id, workspace_id, contents, visited_at, created_at)
    values ('evt_bench', 'pg_bench', 'ws_page', ${
    Schema.encodeSync(Schema.parseJson(BroadcastContents))(contents)
  }::jsonb, now(), now())`
})
