/** How the state of a monitor is read from its rows, in SQL. */

export const monitorTables =
  `monitors m join monitor_states s on s.monitor_id = m.id left join heartbeats h on h.monitor_id = m.id`

// The actor does not process good pings of a heartbeat that is up, so the heartbeat's own check may be newer.
const lastCheck = `case when h.last_ping_at > coalesce((s.last_check->>'at')::timestamptz, '-infinity')
  then h.last_check else s.last_check end`

const lastRoundAt = `(s.machine->>'lastRoundAt')::float8`

export const shown = {
  // A pause shows immediately, before the actor has processed it.
  state: `case when m.paused then 'paused' when s.state = 'paused' then 'pending' else s.state end`,
  stateSince: `case when m.paused = (s.state = 'paused') then s.state_since else m.updated_at end`,
  lastCheck,
  lastRoundAt,
  heardAt: `greatest(${lastRoundAt}, (extract(epoch from (s.last_check->>'at')::timestamptz) * 1000)::float8)`
}
