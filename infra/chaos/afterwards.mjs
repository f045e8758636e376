// What the database says after a run: pings that were acknowledged are stored, and checks took as long as they took.
import { setTimeout as pause } from "node:timers/promises"
import pg from "pg"

/** A check of a site, whose answer takes 20 ms, may take this much longer on a busy machine, ms. The bad network adds 300. */
const mostLatencyMs = 150

const query = async (url, text, values) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Checks are written in bulk, within seconds. */
export const afterwards = async ({ cluster: { databaseUrl }, exits }, acknowledged) => {
  await pause(3000)
  const stored = await query(
    databaseUrl,
    `select m.name, count(*)::int as pings from checks c join monitors m on m.id = c.monitor_id
     where m.kind = 'heartbeat' and c.cause is distinct from 'missed_ping' group by m.name`
  )
  const storedOf = new Map(stored.map(({ name, pings }) => [name, pings]))
  const lost = [...acknowledged].filter(([name, count]) => (storedOf.get(name) ?? 0) < count)
  const byRegion = await query(
    databaseUrl,
    `select c.region, count(*)::int as checks, count(*) filter (where not c.counted)::int as uncounted,
       percentile_cont(0.5) within group (order by c.latency_ms) filter (where c.outcome = 'up') as median
     from checks c join monitors m on m.id = c.monitor_id where m.kind = 'http' group by c.region order by c.region`
  )
  const slow = byRegion.filter(({ median }) => median > mostLatencyMs)
  const sum = (numbers) => [...numbers].reduce((all, one) => all + one, 0)
  return {
    complaints: [
      ...lost.map(([name, count]) => `pings of ${name}: ${count} were acknowledged, ${storedOf.get(name) ?? 0} are stored`),
      ...slow.map(({ median, region }) => `checks from ${region} took ${Math.round(median)} ms (median); sites answer within 20`)
    ],
    pingsAcknowledged: sum(acknowledged.values()),
    pingsStored: sum(storedOf.values()),
    regions: byRegion,
    /** Processes that ended by themselves, and were started again. */
    exits
  }
}
