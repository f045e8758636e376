/** Which role exports which metric: a process has the code of all roles, and shows only what its own measures. */
import { Context } from "effect"
import { type Metric, register, Registry } from "prom-client"

type Role = "api" | "runner" | "probe"

const everywhere: ReadonlyArray<Role> = ["api", "runner", "probe"]
const servers: ReadonlyArray<Role> = ["api", "runner"]
const api: ReadonlyArray<Role> = ["api"]
const runner: ReadonlyArray<Role> = ["runner"]
const probe: ReadonlyArray<Role> = ["probe"]

/** The role of this process; one with all roles exports everything. */
export class ProcessRole extends Context.Reference<ProcessRole>()("belltower/ProcessRole", {
  defaultValue: (): Role | "all" => "all"
}) {}

/** The roles of each metric of our own; none if only a process with all roles has it. Those of Node.js are everywhere. */
export const metricRoles: Readonly<Record<string, ReadonlyArray<Role>>> = {
  belltower_actors: runner,
  belltower_alarms_oldest_due_seconds: api,
  belltower_assignments_waiting: api,
  belltower_backup_age_seconds: api,
  belltower_build_info: everywhere,
  belltower_bus_dropped_results_total: [],
  belltower_bus_refused_messages_total: everywhere,
  belltower_bus_unreadable_messages_total: everywhere,
  belltower_certificate_expiry_timestamp_seconds: everywhere,
  belltower_check_held_back_seconds: probe,
  belltower_check_lateness_seconds: probe,
  belltower_check_results_given_up_total: runner,
  belltower_check_rows_refused_total: runner,
  belltower_checks_abandoned_total: probe,
  belltower_checks_compacted_total: runner,
  belltower_checks_distrusted_total: probe,
  belltower_checks_in_flight: probe,
  belltower_checks_set_aside_total: runner,
  belltower_checks_skipped_total: probe,
  belltower_checks_total: probe,
  belltower_checks_waiting: probe,
  belltower_database_connections: api,
  belltower_database_deadlocks_total: servers,
  belltower_database_max_connections: api,
  belltower_database_oldest_transaction_seconds: api,
  belltower_database_pool_connections: servers,
  belltower_database_pool_max_connections: servers,
  belltower_database_rows: api,
  belltower_database_size_bytes: api,
  belltower_database_transaction_ids_used_ratio: api,
  belltower_database_wait_seconds: servers,
  belltower_deadman_last_ping_timestamp_seconds: api,
  belltower_deliveries_oldest_due_seconds: api,
  belltower_delivery_attempt_seconds: runner,
  belltower_delivery_attempts_total: runner,
  belltower_event_loop_long_turns_total: everywhere,
  belltower_event_loop_longest_turn_seconds: everywhere,
  belltower_event_loop_turn_seconds: everywhere,
  belltower_events_oldest_untold_seconds: api,
  belltower_events_set_aside_total: runner,
  belltower_health_ok: everywhere,
  belltower_http_request_duration_seconds: everywhere,
  belltower_judging_overruns_total: probe,
  belltower_loop_restarts_total: everywhere,
  belltower_mail_attempts_total: runner,
  belltower_mails_oldest_due_seconds: api,
  belltower_manifest_results_dropped_total: runner,
  belltower_monitor_states_refused_total: runner,
  belltower_monitors_overdue: api,
  belltower_monitors_unreported: runner,
  belltower_newest_check_age_seconds: api,
  belltower_oldest_result_age_seconds: runner,
  belltower_pings_total: api,
  belltower_probe_clock_skew_seconds: servers,
  belltower_probe_monitors: probe,
  belltower_probe_stalls_total: probe,
  belltower_probe_uplink_lost: probe,
  belltower_region_checks_stopped: api,
  belltower_region_healthy: servers,
  belltower_region_workers: servers,
  belltower_replica_reads_total: servers,
  belltower_results_dropped_total: probe,
  belltower_results_lag: runner,
  belltower_results_waiting: probe,
  belltower_shards_held: runner,
  belltower_telemetry_failed_exports_total: everywhere
}

const isExported = (name: string, role: Role): boolean => metricRoles[name]?.includes(role) ?? !name.startsWith("belltower_")

/** The metrics that a process of this role exports. They share their values with those of `register`. */
export const exportedBy = (role: Role | "all"): Pick<Registry, "metrics" | "contentType" | "getMetricsAsJSON"> => {
  if (role === "all") return register
  const exported = new Registry()
  for (const { name } of register.getMetricsAsArray()) {
    const metric: Metric | undefined = register.getSingleMetric(name)
    if (metric !== undefined && isExported(name, role)) exported.registerMetric(metric)
  }
  return exported
}
