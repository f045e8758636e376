// Fills a running program as a large customer would have: one record of each kind through the interface, the others as copies of
// its rows. Nothing of the copies is told to probes, actors or channels.
import { randomBytes } from "node:crypto"
import { until } from "./processes.mjs"
import { onDatabase } from "./seed.mjs"

const dayMs = 86_400_000
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** An id of the given time (UUIDv7 in Crockford's base32). */
const idAt = (prefix, time) => {
  let bits = (BigInt(time) << 80n) | (BigInt(`0x${randomBytes(10).toString("hex")}`) & ((1n << 80n) - 1n))
  bits = (bits & ~(0xfn << 76n)) | (7n << 76n)
  bits = (bits & ~(3n << 62n)) | (2n << 62n)
  let text = ""
  for (let at = 0; at < 26; at++, bits >>= 5n) text = alphabet[Number(bits & 31n)] + text
  return `${prefix}_${text}`
}

/** Times spread over the last 90 days, in order. */
const timesOver = (count, now = Date.now()) =>
  Array.from({ length: count }, (_, index) => Math.round(now - 90 * dayMs * (1 - (index + 0.5) / count)))

const newIds = (prefix, times) => times.map((time) => idAt(prefix, time))

/** `set`: SQL of the columns that differ, from `copy.id`, `copy.at` and `copy.n`. */
const copyRows = (query, table, where, ids, times, set, more = []) =>
  query(
    `insert into ${table}
     select (jsonb_populate_record(t, jsonb_build_object(${set}))).*
     from ${table} t, unnest($1::text[], $2::timestamptz[]) with ordinality as copy (id, at, n) where ${where}`,
    [ids, times.map((time) => new Date(time).toISOString()), ...more]
  )

const hashOf = (id) => `'\\x' || encode(sha256(${id}::bytea), 'hex')`

const copyMonitors = async (query, template, count, workspaceId) => {
  const times = timesOver(count).map((time) => time - 90 * dayMs)
  const ids = newIds("mon", times)
  const more = [template, workspaceId]
  await copyRows(
    query,
    "monitors",
    "t.id = $3",
    ids,
    times,
    `'id', copy.id, 'workspace_id', $4::text, 'name', 'Service ' || copy.n, 'created_at', copy.at,
     'tags', array['team-' || copy.n % 20, 'tier-' || copy.n % 3],
     'target', t.target || jsonb_build_object('url', (t.target->>'url') || 'service/' || copy.n)`,
    more
  )
  await copyRows(
    query,
    "monitor_states",
    "t.monitor_id = $3",
    ids,
    times,
    `'monitor_id', copy.id, 'workspace_id', $4::text, 'state_since', now() - interval '5 days',
     'state', case when copy.n % 700 = 0 then 'down' when copy.n % 400 = 0 then 'degraded' else t.state end,
     'last_check', case when copy.n % 700 = 0
       then t.last_check || '{"outcome":"down","error":"Expected status 200-299, got 503 Service Unavailable"}' else t.last_check end`,
    more
  )
  // Two outages in 90 days. The running totals of a monitor follow from the order of insertion.
  const spans = [["90 days", "20 days", "up"], ["20 days", "479 hours", "down"], ["479 hours", "5 days", "up"], [
    "5 days",
    null,
    null
  ]]
  for (const [from, to, state] of spans) {
    await query(
      `insert into monitor_spans (monitor_id, workspace_id, started_at, ended_at, state)
       select s.monitor_id, s.workspace_id, now() - $2::interval, now() - $3::interval, coalesce($4, s.state)
       from monitor_states s where s.monitor_id = any($1::text[])`,
      [ids, from, to, state]
    )
  }
  return ids
}

const copyIncidents = async (query, template, count, workspaceId, monitorIds) => {
  const times = timesOver(count)
  const ids = newIds("inc", times)
  await copyRows(
    query,
    "incidents",
    "t.id = $3",
    ids,
    times,
    `'id', copy.id, 'workspace_id', $4::text, 'title', t.title || ' ' || copy.n, 'started_at', copy.at,
     'automatic', copy.n % 2 = 0, 'monitor_id', ($5::text[])[1 + copy.n % array_length($5::text[], 1)],
     'status', case when copy.n > $6::int then 'investigating' else 'resolved' end,
     'resolved_at', case when copy.n > $6::int then null else copy.at + interval '30 minutes' end,
     'updated_at', copy.at + interval '30 minutes'`,
    [template, workspaceId, monitorIds, count - 20]
  )
  for (const status of ["identified", "monitoring", "resolved"]) {
    await query(
      `insert into incident_updates
       select (jsonb_populate_record(null::incident_updates, u.row || jsonb_build_object(
         'id', 'upd' || substr(copy.id, 4, 20) || $4::text || substr(copy.id, 25),
         'incident_id', copy.id, 'workspace_id', $5::text, 'status', $3::text))).*
       from unnest($2::text[]) copy (id),
         (select to_jsonb(one) as row from incident_updates one where incident_id = $1 order by id limit 1) u`,
      [template, ids, status, status[0] === "i" ? "1" : status[0] === "m" ? "2" : "3", workspaceId]
    )
  }
  return ids
}

const copyEvents = async (query, count, workspaceId, from) => {
  const times = timesOver(count)
  const ids = newIds("evt", times)
  const [{ known }] = await query("select count(*)::int as known from events where workspace_id = $1", [from])
  await query(
    `with known as materialized (select row_number() over (order by id) - 1 as place, type, data from events where workspace_id = $3)
     insert into events (workspace_id, id, type, at, data, fanned_out)
     select $4, copy.id, known.type, copy.at, known.data, true
     from unnest($1::text[], $2::timestamptz[]) with ordinality as copy (id, at, n) join known on known.place = copy.n % $5::int`,
    [ids, times.map((time) => new Date(time).toISOString()), from, workspaceId, known]
  )
  return ids
}

const copyChannels = async (query, template, count) => {
  const times = timesOver(count)
  const ids = newIds("ch", times)
  await copyRows(
    query,
    "channels",
    "t.id = $3",
    ids,
    times,
    "'id', copy.id, 'name', 'Channel ' || copy.n, 'is_default', false, 'created_at', copy.at, 'url', t.url || copy.n",
    [template]
  )
  return ids
}

const addDeliveries = async (query, count, channels, events, workspaceId) => {
  const times = timesOver(count)
  await query(
    `insert into deliveries (id, workspace_id, event_id, channel_id, body, status, attempts, due_at, last_status_code, latency_ms,
                             created_at, finished_at)
     select d.id, $5, d.event, d.channel,
       jsonb_build_object('id', d.event, 'type', e.type, 'timestamp', d.at, 'data', e.data)::text,
       case when d.n % 50 = 0 then 'dead' else 'delivered' end, 1, d.at, case when d.n % 50 = 0 then 500 else 204 end, 40, d.at, d.at
     from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[]) with ordinality as d (id, at, event, channel, n)
     join events e on e.workspace_id = $5 and e.id = d.event`,
    [
      newIds("dlv", times),
      times.map((time) => new Date(time).toISOString()),
      times.map((_, index) => events[Math.floor(index * events.length / count)]),
      times.map((_, index) => channels[index % channels.length]),
      workspaceId
    ]
  )
}

const copyPages = async (query, template, count, components, monitorIds) => {
  const times = timesOver(count)
  const ids = newIds("pg", times)
  await copyRows(
    query,
    "pages",
    "t.id = $3",
    ids,
    times,
    "'id', copy.id, 'name', 'Page ' || copy.n, 'slug', 'page-' || copy.n, 'created_at', copy.at",
    [template]
  )
  const owners = ids.flatMap((id) => Array.from({ length: components }, () => id))
  const own = times.flatMap((time) => Array.from({ length: components }, () => time))
  const componentIds = newIds("cmp", own)
  const [{ id: model, group_id: group }] = await query("select id, group_id from components where page_id = $1 limit 1", [
    template
  ])
  const groupIds = newIds("grp", times)
  await copyRows(query, "component_groups", "t.id = $3", groupIds, times, "'id', copy.id, 'page_id', ($4::text[])[copy.n]", [
    group,
    ids
  ])
  await copyRows(
    query,
    "components",
    "t.id = $3",
    componentIds,
    own,
    `'id', copy.id, 'page_id', ($4::text[])[copy.n], 'key', 'component-' || copy.n, 'name', 'Component ' || copy.n,
     'group_id', ($5::text[])[1 + (copy.n - 1) / $6::int], 'position', copy.n,
     'monitor_ids', array[($7::text[])[1 + copy.n % array_length($7::text[], 1)]]`,
    [model, owners, groupIds, components, monitorIds]
  )
  await copyRows(query, "component_states", "t.component_id = $3", componentIds, own, "'component_id', copy.id", [model])
  return ids.map((id, index) => ({ id, componentId: componentIds[index * components] }))
}

const addSubscribers = (query, count, pageId, workspaceId) => {
  const times = timesOver(count)
  return query(
    `insert into subscribers (id, workspace_id, page_id, type, status, language, email, target_hash, sealed, manage_hash, created_at,
                              updated_at)
     select s.id, $4, $3, 'email', 'active', 'en', 'reader' || s.n || '@example.com', sha256(s.id::bytea), '', sha256(s.id::bytea),
       s.at, s.at
     from unnest($1::text[], $2::timestamptz[]) with ordinality as s (id, at, n)`,
    [newIds("sub", times), times.map((time) => new Date(time).toISOString()), pageId, workspaceId]
  )
}

const addMembers = async (query, count, workspaceId) => {
  const times = timesOver(count)
  const ids = newIds("usr", times)
  await query(
    `insert into users (id, email, name, created_at, updated_at)
     select id, id || '@example.com', 'Person ' || n, now(), now() from unnest($1::text[]) with ordinality as u (id, n)`,
    [ids]
  )
  await query(
    `insert into memberships (workspace_id, user_id, role, created_at)
     select $2, id, 'member', now() from unnest($1::text[]) as u (id)`,
    [ids, workspaceId]
  )
}

/** Things with one row in one table. */
const copyRecords = async (query, prefix, table, template, count, set, workspaceId) => {
  const times = timesOver(count)
  const ids = newIds(prefix, times)
  await copyRows(query, table, "t.id = $3 and t.workspace_id = $4", ids, times, `'id', copy.id, ${set}`, [template, workspaceId])
  return ids
}

/** An outage that is open, and pages its people: what somebody sees who is woken. */
const makeOutage = async (call, targetUrl) => {
  const { id } = await call("POST", "/monitors", { name: "Failing", url: `${targetUrl}outage`, intervalSec: 60 })
  const { data } = await until(
    () => call("GET", "/incidents?open=true"),
    (found) => found.data.some(({ monitorId }) => monitorId === id)
  )
  const { id: outage } = data.find(({ monitorId }) => monitorId === id)
  await until(() => call("GET", `/incidents/${outage}/pagings`), (found) => found.data.length > 0)
  return outage
}

/** One record of each kind. */
const makeTemplates = async (call, targetUrl) => {
  const channel = await call("POST", "/channels", { name: "Template", type: "webhook", url: targetUrl })
  const monitor = await call("POST", "/monitors", {
    name: "Template",
    url: targetUrl,
    intervalSec: 86_400,
    channelIds: [channel.id]
  })
  // The state is known before the check is stored.
  const { checks: [check] } = await until(
    () => call("GET", `/monitors/${monitor.id}`),
    ({ checks, state }) => state === "up" && checks.length > 0
  )
  const page = await call("POST", "/pages", { name: "Template", slug: "template" })
  const component = await call("POST", `/pages/${page.id}/components`, {
    name: "Template",
    group: "Group",
    monitorIds: [monitor.id]
  })
  const about = { pageIds: [page.id], message: "Some requests fail. We are looking into it." }
  const incident = await call("POST", "/incidents", {
    ...about,
    title: "Checkout is slow",
    components: [{ componentId: component.id, status: "degraded" }]
  })
  await call("PUT", `/incidents/${incident.id}/postmortem`, { markdown: "# Postmortem\n\nA deploy slowed checkouts down." })
  const inDays = (days) => new Date(Date.now() + days * dayMs).toISOString()
  const maintenance = await call("POST", "/maintenance", {
    ...about,
    title: "Database upgrade",
    scheduledStart: inDays(2),
    scheduledEnd: inDays(3)
  })
  const template = await call("POST", "/incident-templates", {
    name: "Slow",
    title: "{{component}} is slow",
    body: "We look into it."
  })
  const { data: [person] } = await call("GET", "/oncall/members")
  const schedule = await call("POST", "/oncall/schedules", {
    name: "Platform",
    timezone: "Europe/Berlin",
    handoffDay: 0,
    handoffTime: "09:00",
    participants: [person.id]
  })
  const policy = await call("POST", "/escalation-policies", {
    name: "Platform",
    levels: [{ afterMinutes: 0, targets: [{ type: "schedule", id: schedule.id }] }]
  })
  const outage = await makeOutage(call, targetUrl)
  const key = await call("POST", "/api-keys", { name: "Template", scopes: ["read"] })
  const deploy = await call("POST", "/deploys", { version: "1.0.0", environment: "production", monitorIds: [monitor.id] })
  const job = await call("POST", "/import", {
    source: "gatus",
    document: Array.from({ length: 100 }, (_, n) => `  - {name: imported ${n}, url: ${targetUrl}, interval: 24h}`).reduce(
      (text, line) => `${text}\n${line}`,
      "endpoints:"
    )
  })
  await until(() => call("GET", `/import/jobs/${job.id}`), ({ status }) => status === "succeeded" || status === "failed")
  const drill = await call("POST", "/drills", { channelIds: [channel.id] })
  const { data: [audit] } = await call("GET", "/audit?limit=1")
  // No mail server is set, so mails are kept for their readers.
  const { data: [mail] } = await call("GET", "/me/mails")
  const ids = { monitor, page, incident, maintenance, template, schedule, policy, key, deploy, job, drill, audit, channel, mail }
  return {
    check: check.id,
    componentId: component.id,
    outage,
    ...Object.fromEntries(Object.entries(ids).map(([name, { id }]) => [name, id]))
  }
}

/** Everything of one workspace, and less of nine others; the ids that views are asked with. */
export const fillForDashboard = async (dataDir, call, targetUrl, monitors) => {
  const others = []
  for (let n = 1; n < 10; n++) others.push((await call("POST", "/me/workspaces", { name: `Workspace ${n}` })).id)
  // The session is in the newest.
  const { id: own } = await call("POST", "/me/workspaces", { name: "Acme" })
  const made = await makeTemplates(call, targetUrl)
  return onDatabase(dataDir, async (query) => {
    await query("begin")
    const monitorIds = await copyMonitors(query, made.monitor, monitors - 102, own)
    const incidents = await copyIncidents(query, made.incident, 3000, own, monitorIds)
    const events = await copyEvents(query, 20_000, own, own)
    const channels = await copyChannels(query, made.channel, 199)
    await addDeliveries(query, 10_000, channels, events, own)
    const pages = await copyPages(query, made.page, 49, 40, monitorIds)
    await addSubscribers(query, 10_000, pages[0].id, own)
    await addMembers(query, 60, own)
    const record = (prefix, table, template, count, set) => copyRecords(query, prefix, table, template, count, set, own)
    await record("aud", "audit_log", made.audit, 10_000, "'at', copy.at")
    await record(
      "inc",
      "incidents",
      made.maintenance,
      300,
      "'status', 'completed', 'resolved_at', copy.at, 'started_at', copy.at"
    )
    await record("tpl", "incident_templates", made.template, 29, "'name', 'Template ' || copy.n")
    const schedules = await record("sch", "oncall_schedules", made.schedule, 19, "'name', 'Schedule ' || copy.n")
    const policies = await record(
      "pol",
      "escalation_policies",
      made.policy,
      19,
      "'name', 'Policy ' || copy.n, 'is_default', false"
    )
    await record("key", "api_keys", made.key, 199, `'name', 'Key ' || copy.n, 'hash', ${hashOf("copy.id")}`)
    await record("dep", "deploys", made.deploy, 2000, "'at', copy.at")
    for (const other of others) {
      const theirs = await copyMonitors(query, made.monitor, monitors / 10, other)
      await copyIncidents(query, made.incident, 300, other, theirs)
      await copyEvents(query, 2000, other, own)
    }
    await query("commit")
    const samples = {
      monitors: monitorIds.filter((_, index) => index % 100 === 0).map((id) => ({ id, check: made.check })),
      incidents: [made.incident, ...incidents.filter((_, index) => index % 100 === 0)].map((id) => ({
        id,
        outage: made.outage
      })),
      pages,
      channels: channels.slice(0, 50).map((id) => ({ id })),
      "on-call": schedules.map((id) => ({ id })),
      escalation: policies.map((id) => ({ id })),
      import: [{ id: made.job }],
      drills: [{ id: made.drill }],
      mail: [{ id: made.mail }]
    }
    return { workspaceId: own, samples }
  })
}
