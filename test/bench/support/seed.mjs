// Fills a running program with monitors: one through the interface, the others as copies of its rows, told to the probes like edits.
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { metric, until } from "./processes.mjs"

/** The password of a program's embedded database. */
export const passwordIn = (dataDir) => readFileSync(join(dataDir, "postgres/cluster/belltower.password"), "utf8").trim()

/** A connection to the program's embedded database; `use` gets a function that runs a statement. */
export const onDatabase = async (dataDir, use) => {
  const host = join(dataDir, "postgres")
  const client = new pg.Client({ host, port: 5432, user: "postgres", password: passwordIn(dataDir), database: "postgres" })
  await client.connect()
  const result = await use((text, values) => client.query(text, values).then(({ rows }) => rows))
  await client.end()
  return result
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
/** Ids like the template's, of the same instant, with another random end. */
const idsLike = (id, count) =>
  Array.from({ length: count }, () => id.slice(0, 17) + Array.from(randomBytes(13), (byte) => alphabet[byte & 31]).join(""))

/** Checked before: its next check is at its own time, not immediately as after an edit. */
const longAgo = "1 hour"

const copies = [
  `insert into monitors
   select (jsonb_populate_record(m, jsonb_build_object('id', copy.id, 'name', 'Monitor ' || copy.n,
     'target', m.target || jsonb_strip_nulls(jsonb_build_object('url', (m.target->>'url') || copy.n)),
     'updated_at', now() - interval '${longAgo}'))).*
   from monitors m, unnest($2::text[]) with ordinality as copy (id, n) where m.id = $1`,
  `insert into monitor_states
   select (jsonb_populate_record(s, jsonb_build_object('monitor_id', copy.id))).*
   from monitor_states s, unnest($2::text[]) as copy (id) where s.monitor_id = $1`,
  `insert into monitor_spans (monitor_id, workspace_id, started_at, state)
   select copy.id, s.workspace_id, s.started_at, s.state
   from monitor_spans s, unnest($2::text[]) as copy (id) where s.monitor_id = $1 and s.ended_at is null`,
  `insert into assignment_outbox (monitor_id, workspace_id)
   select copy.id, m.workspace_id from monitors m, unnest($2::text[]) as copy (id) where m.id = $1`
]

/** Copies a monitor that no probe looks at; the ids of the copies. */
export const copyMonitor = async (query, id, count) => {
  const ids = idsLike(id, count)
  await query("begin")
  for (const copy of copies.slice(0, 3)) await query(copy, [id, ids])
  await query("commit")
  return ids
}

/** Makes `count` monitors like `input` and waits until the probe has them. */
export const seedMonitors = async (belltower, dataDir, call, count, input) => {
  const before = await metric(belltower.baseUrl, "belltower_probe_monitors")
  const { id } = await call("POST", "/monitors", { name: "Monitor 0", ...input })
  await onDatabase(dataDir, async (query) => {
    const ids = idsLike(id, count - 1)
    await query("begin")
    for (const copy of copies) await query(copy, [id, ids])
    await query("commit")
    await query("select pg_notify('belltower_assignments', '')")
  })
  await until(() => metric(belltower.baseUrl, "belltower_probe_monitors"), (known) => known >= before + count)
  // The actors take the edits over one by one; that is not what is to be measured.
  await onDatabase(
    dataDir,
    (query) => until(() => query("select count(*)::int as left from assignment_outbox"), ([row]) => row.left === 0)
  )
}

/** Gives every monitor another interval, and waits until probes and actors know. */
export const changeInterval = (dataDir, intervalSec) =>
  onDatabase(dataDir, async (query) => {
    await query("begin")
    await query(
      `update monitors set interval_sec = $1, revision = revision + 1, updated_at = now() - interval '${longAgo}'`,
      [intervalSec]
    )
    await query("insert into assignment_outbox (monitor_id, workspace_id) select id, workspace_id from monitors")
    await query("commit")
    await query("select pg_notify('belltower_assignments', '')")
    await until(() => query("select count(*)::int as left from assignment_outbox"), ([row]) => row.left === 0)
  })
