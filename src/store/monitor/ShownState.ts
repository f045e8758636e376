/** How the state of a monitor is read from its rows, in SQL. */
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"

export const monitorTables =
  `monitors m join monitor_states s on s.monitor_id = m.id left join heartbeats h on h.monitor_id = m.id`

// The actor does not process good pings of a heartbeat that is up, so the heartbeat's own check may be newer.
const lastCheck = `case when h.last_ping_at > coalesce((s.last_check->>'at')::timestamptz, '-infinity')
  then h.last_check else s.last_check end`

/** The monitors that are shown in a state, by the indexes on states and on pauses. It says the same as `shown.state`. */
export const shownAs = {
  up: `not m.paused and s.state = 'up'`,
  down: `not m.paused and s.state = 'down'`,
  degraded: `not m.paused and s.state = 'degraded'`,
  pending: `not m.paused and s.state in ('pending', 'paused')`,
  paused: `m.paused`
} as const satisfies Record<MonitorState, string>

const lastRoundAt = `(s.machine->>'lastRoundAt')::float8`

export const shown = {
  // The actor's row keeps an incident that a person resolved until the monitor recovers. Looked up by primary key, and only if
  // there is one.
  openIncidentId: `case when s.incident_id is not null then (
      select i.id from incidents i
      where i.id = s.incident_id and i.workspace_id = s.workspace_id and i.resolved_at is null) end`,
  // A pause shows immediately, before the actor has processed it.
  state: `case when m.paused then 'paused' when s.state = 'paused' then 'pending' else s.state end`,
  stateSince: `case when m.paused = (s.state = 'paused') then s.state_since else m.updated_at end`,
  lastCheck,
  // The period that is stored with a schedule is for earlier releases.
  target: `case when m.target ? 'schedule' then m.target || '{"periodSec":null}' else m.target end`,
  awaits: `case when h.monitor_id is not null then jsonb_build_object(
      'lastPingAt', (extract(epoch from h.last_ping_at) * 1000)::float8,
      'expectedFrom', (extract(epoch from h.expected_from) * 1000)::float8) || (m.target - 'kind') end`,
  lastRoundAt,
  heardAt: `greatest(${lastRoundAt}, (extract(epoch from (s.last_check->>'at')::timestamptz) * 1000)::float8)`
}
