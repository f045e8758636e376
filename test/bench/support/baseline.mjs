// Fastify with pg in a process of its own: what the same requests cost with as many statements and nothing else. Statements are
// sent as pg sends them by default.
import Fastify from "fastify"
import pg from "pg"

const [host] = process.argv.slice(2)
const pool = new pg.Pool({ host, port: 5432, user: "postgres", database: "postgres", max: 10 })
const rows = async (text, values = [], on = pool) => (await on.query(text, values)).rows

await rows("create schema if not exists baseline")
await rows(
  "create table if not exists baseline.audit (id bigint generated always as identity primary key, at timestamptz, done bool)"
)
await rows("create table if not exists baseline.things (id bigint generated always as identity primary key, data jsonb)")
await rows("create table if not exists baseline.events (id bigint generated always as identity primary key, data jsonb)")

/** Who calls is known for some seconds, as it is to the program. */
const [{ id: key, workspace_id: workspace }] = await rows("select id, workspace_id from api_keys limit 1")

const app = Fastify()
app.get("/healthz", () => ({ alive: true }))
app.get("/whoami", async () => {
  const [found] = await rows("select id, name, plan, created_at from workspaces where id = $1", [workspace])
  const [{ count }] = await rows("select count(*)::int as count from monitors where workspace_id = $1", [workspace])
  const [own] = await rows("select id, name, scopes, created_at from api_keys where id = $1", [key])
  return { workspace: found, key: own, limits: { monitors: count } }
})
app.get("/events", async () => {
  const [{ newest }] = await rows("select last_event_id as newest from workspaces where id = $1", [workspace])
  const text = "select id, type, at, data from events where workspace_id = $1 order by id desc limit 20"
  const data = await rows(text, [workspace])
  return { data, next: data.at(-1)?.id ?? null, newest }
})
app.get("/monitors/:id", async ({ params: { id } }) => {
  const [monitor] = await rows(
    "select m.*, s.* from monitors m join monitor_states s on s.monitor_id = m.id where m.workspace_id = $1 and m.id = $2",
    [workspace, id]
  )
  const spans = await rows("select * from monitor_spans where monitor_id = $1 order by started_at desc limit 50", [id])
  const checks = await rows("select id, at, outcome from checks where monitor_id = $1 order by at desc limit 20", [id])
  const blocks = await rows("select data from check_blocks where monitor_id = $1 order by first_at desc limit 1", [id])
  const rollups = await rows("select data from check_rollups where monitor_id = $1 order by day desc limit 2", [id])
  return { ...monitor, spans, checks, blocks, rollups }
})
app.post("/monitors", async ({ body }) => {
  const [entry] = await rows("insert into baseline.audit (at, done) values (now(), false) returning id")
  await rows("select id from channels where workspace_id = $1", [workspace])
  const client = await pool.connect()
  await client.query("begin")
  await rows("select plan from workspaces where id = $1 for no key update", [workspace], client)
  await rows("select count(*)::int as count from baseline.things where id < $1", [1000], client)
  const [{ id }] = await rows("insert into baseline.things (data) values ($1) returning id", [body], client)
  await rows("insert into baseline.events (data) values ($1) returning id", [body], client)
  await client.query("commit")
  client.release()
  const [{ data }] = await rows("select data from baseline.things where id = $1", [id])
  await rows("update baseline.audit set done = true where id = $1", [entry.id])
  return { id, ...data }
})
await app.listen({ host: "127.0.0.1", port: 0 })
process.send(app.server.address().port)
