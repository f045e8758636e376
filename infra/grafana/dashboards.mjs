/** The dashboards of infra/grafana: edit them here, then run `node infra/grafana/dashboards.mjs`, which writes the JSON files. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { atLeast, below, dashboard, lines, percentiles, stat, textOf } from "./panels.mjs"

const rate = (metric, by, labels = "") => `sum by (${by}) (rate(${metric}${labels}[$__rate_interval]))`

/** CPU, memory and event loop of the processes of a role. */
const processes = (role) => {
  const ofRole = (expr) => `${expr} * on (instance) group_left () belltower_build_info{role=~"all|${role}"}`
  return [
    lines("CPU", "percentunit", [[ofRole("rate(process_cpu_seconds_total[$__rate_interval])"), "{{instance}}"]]),
    lines("Memory", "bytes", [[ofRole("process_resident_memory_bytes"), "{{instance}}"]]),
    lines("Turns of the event loop, p99", "s", [[
      ofRole(`histogram_quantile(0.99, ${rate("belltower_event_loop_turn_seconds_bucket", "instance, le")})`),
      "{{instance}}"
    ]], "While a turn lasts, the process answers nothing else.")
  ]
}

const queues = lines("How long the oldest work has waited", "s", [
  ["max(belltower_events_oldest_untold_seconds)", "events not told"],
  ["max(belltower_deliveries_oldest_due_seconds)", "deliveries"],
  ["max(belltower_mails_oldest_due_seconds)", "mails"],
  ["max(belltower_alarms_oldest_due_seconds)", "alarms of actors"]
], "Receivers that are slow do not count.")

const overview = dashboard("overview", "overview", "Whether an installation checks, decides and delivers.", [
  [
    stat("Silent regions", "short", ["sum(max by (region) (belltower_region_checks_stopped))"], below(1, 1)),
    stat("Overdue monitors", "short", ["max(belltower_monitors_overdue{regions=\"sound\"})"], below(1, 100)),
    stat("Oldest result", "s", ["max(belltower_oldest_result_age_seconds)"], below(60, 120)),
    stat("Shards held", "short", ["sum(belltower_shards_held)"], atLeast(64), "Of 64."),
    stat(
      "Last ping of the dead man's switch",
      "s",
      [
        "time() - max(belltower_deadman_last_ping_timestamp_seconds > 0)"
      ],
      below(120, 300),
      "Empty while it is off."
    ),
    stat("Versions", "short", ["count(count by (version) (belltower_build_info))"], below(2, 3))
  ],
  [
    lines("Alerts", "short", [[
      "sum by (alertname) (ALERTS{alertname=~\"Belltower.+\", alertstate=\"firing\"})",
      "{{alertname}}"
    ]]),
    lines("Parts that are unwell", "short", [["count by (part) (belltower_health_ok == 0)", "{{part}}"]]),
    lines("Processes by role and version", "short", [["count by (role, version) (belltower_build_info)", "{{role}} {{version}}"]])
  ],
  [
    lines("Checks by outcome", "cps", [[rate("belltower_checks_total", "outcome"), "{{outcome}}"]]),
    lines("Age of the newest check", "s", [["min by (region) (belltower_newest_check_age_seconds)", "{{region}}"]]),
    queues
  ],
  [
    lines("Requests by status", "reqps", [[rate("belltower_http_request_duration_seconds_count", "status"), "{{status}}"]]),
    lines("Duration of requests", "s", percentiles("belltower_http_request_duration_seconds")),
    lines("Deliveries by result", "ops", [[rate("belltower_delivery_attempts_total", "result"), "{{result}}"]])
  ]
])

const runner = dashboard("runner", "runners", "What runners hold, and how far they are behind.", [
  [
    stat("Shards held", "short", ["sum(belltower_shards_held)"], atLeast(64), "Of 64."),
    stat("Results that wait", "short", ["sum(belltower_results_lag)"], below(10_000, 100_000)),
    stat("Oldest result", "s", ["max(belltower_oldest_result_age_seconds)"], below(60, 120)),
    stat("Actors", "short", ["sum(belltower_actors)"])
  ],
  [
    lines("Results that wait, by runner", "short", [["belltower_results_lag", "{{instance}}"]]),
    lines("Age of the oldest result, by runner", "s", [["belltower_oldest_result_age_seconds", "{{instance}}"]]),
    lines("Shards, by runner", "short", [["belltower_shards_held", "{{instance}}"]])
  ],
  [
    lines("Actors by kind", "short", [["sum by (kind) (belltower_actors)", "{{kind}}"]]),
    lines("Alarms and monitors that are late", "short", [
      ["max(belltower_alarms_oldest_due_seconds)", "oldest alarm, s"],
      ["sum(belltower_monitors_unreported)", "monitors that a region does not report on"]
    ]),
    lines("Results that were not counted", "ops", [
      ["sum(rate(belltower_check_results_given_up_total[$__rate_interval]))", "given up"],
      ["sum(rate(belltower_manifest_results_dropped_total[$__rate_interval]))", "manifests"],
      ["sum(rate(belltower_check_rows_refused_total[$__rate_interval]))", "rows refused"],
      ["sum(rate(belltower_monitor_states_refused_total[$__rate_interval]))", "states refused"],
      ["sum(rate(belltower_bus_dropped_results_total[$__rate_interval]))", "dropped in one process"]
    ])
  ],
  [
    lines("Messages refused", "ops", [[rate("belltower_bus_refused_messages_total", "topic, reason"), "{{topic}} {{reason}}"]]),
    lines("Messages that cannot be read", "ops", [[rate("belltower_bus_unreadable_messages_total", "topic"), "{{topic}}"]]),
    lines("Checks compacted", "ops", [["sum(rate(belltower_checks_compacted_total[$__rate_interval]))", "checks"]])
  ],
  processes("runner"),
  [
    lines("Longest turns of the event loop", "s", [[
      "topk(10, max by (name) (belltower_event_loop_longest_turn_seconds))",
      "{{name}}"
    ]]),
    lines("Long turns", "ops", [[`topk(10, ${rate("belltower_event_loop_long_turns_total", "name")})`, "{{name}}"]]),
    lines("Loops that were restarted", "ops", [[rate("belltower_loop_restarts_total", "loop"), "{{loop}}"]])
  ]
])

const inRegion = "{region=~\"$region\"}"
const probes = dashboard("probes", "probe fleet", "The probes of each region: what they check, and what they leave out.", [
  [
    stat("Probes", "short", [`sum(max by (region) (belltower_region_workers${inRegion}))`], atLeast(1)),
    stat("Monitors", "short", [`sum(belltower_probe_monitors${inRegion})`], undefined, "One for each region of a monitor."),
    stat("Checks", "cps", [`sum(rate(belltower_checks_total${inRegion}[5m]))`]),
    stat("Skipped", "cps", [`sum(rate(belltower_checks_skipped_total${inRegion}[5m]))`], below(0.01, 1))
  ],
  [
    lines("Healthy", "short", [[`max by (region) (belltower_region_healthy${inRegion})`, "{{region}}"]]),
    lines("Probes by region", "short", [[`max by (region) (belltower_region_workers${inRegion})`, "{{region}}"]]),
    lines("Monitors by probe", "short", [[`belltower_probe_monitors${inRegion}`, "{{region}} {{instance}}"]])
  ],
  [
    lines("Checks by outcome", "cps", [[rate("belltower_checks_total", "outcome", inRegion), "{{outcome}}"]]),
    lines("How late checks begin", "s", percentiles("belltower_check_lateness_seconds", inRegion)),
    lines("How long limits hold checks back", "s", percentiles("belltower_check_held_back_seconds", inRegion))
  ],
  [
    lines("Skipped checks by reason", "cps", [[
      rate("belltower_checks_skipped_total", "region, reason", inRegion),
      "{{region}} {{reason}}"
    ]]),
    lines("Checks that wait for a slot", "short", [[
      `sum by (region, lane) (belltower_checks_waiting${inRegion})`,
      "{{region}} {{lane}}"
    ]]),
    lines("Running checks", "short", [[`sum by (region, lane) (belltower_checks_in_flight${inRegion})`, "{{region}} {{lane}}"]])
  ],
  [
    lines("Checks that do not count", "cps", [
      [rate("belltower_checks_distrusted_total", "region", inRegion), "{{region}} distrusted"],
      [rate("belltower_checks_abandoned_total", "region", inRegion), "{{region}} abandoned"],
      ["sum(rate(belltower_judging_overruns_total[$__rate_interval]))", "judging took too long"]
    ]),
    lines("Results that the bus has not accepted", "short", [
      [`sum by (region) (belltower_results_waiting${inRegion})`, "{{region}}"],
      [`sum by (region) (increase(belltower_results_dropped_total${inRegion}[$__rate_interval]))`, "{{region}} dropped"]
    ]),
    lines(
      "Clock skew",
      "s",
      [[`belltower_probe_clock_skew_seconds${inRegion}`, "{{region}} {{probe}}"]],
      "Positive: ahead of the servers."
    )
  ],
  [
    lines("Probes without their own connection", "short", [[
      `sum by (region) (belltower_probe_uplink_lost${inRegion})`,
      "{{region}}"
    ]]),
    lines("Stalls", "ops", [[rate("belltower_probe_stalls_total", "region, kind", inRegion), "{{region}} {{kind}}"]]),
    lines("Edits on their way to probes", "short", [["max(belltower_assignments_waiting)", "assignments"]])
  ],
  processes("probe")
], ["region"])

const deliveries = dashboard("deliveries", "deliveries", "Alerts and mails on their way to people and webhooks.", [
  [
    stat("Events not told", "s", ["max(belltower_events_oldest_untold_seconds)"], below(10, 60)),
    stat("Deliveries due", "s", ["max(belltower_deliveries_oldest_due_seconds)"], below(10, 60)),
    stat("Mails due", "s", ["max(belltower_mails_oldest_due_seconds)"], below(60, 300)),
    stat("Set aside in a day", "short", ["sum(increase(belltower_events_set_aside_total[1d]))"], below(1, 1))
  ],
  [
    queues,
    lines("Attempts by result", "ops", [[rate("belltower_delivery_attempts_total", "result"), "{{result}}"]]),
    lines("Duration of attempts", "s", percentiles("belltower_delivery_attempt_seconds"))
  ],
  [
    lines("Attempts by channel", "ops", [[rate("belltower_delivery_attempts_total", "channel_type"), "{{channel_type}}"]]),
    lines("Share of attempts that are tried again", "percentunit", [[
      "sum by (channel_type) (rate(belltower_delivery_attempts_total{result=\"retry\"}[$__rate_interval])) / " +
      "sum by (channel_type) (rate(belltower_delivery_attempts_total[$__rate_interval]))",
      "{{channel_type}}"
    ]]),
    lines("Attempts given up", "ops", [[
      rate("belltower_delivery_attempts_total", "channel_type", "{result=\"dead\"}"),
      "{{channel_type}}"
    ]])
  ],
  [
    lines("p95 of attempts by channel", "s", [[
      "histogram_quantile(0.95, sum by (le, channel_type) (rate(belltower_delivery_attempt_seconds_bucket[$__rate_interval])))",
      "{{channel_type}}"
    ]]),
    lines("Mails by result", "ops", [[rate("belltower_mail_attempts_total", "result"), "{{result}}"]]),
    lines("Events set aside", "short", [["sum(increase(belltower_events_set_aside_total[1h]))", "events in an hour"]])
  ]
])

const database = dashboard("database", "database", "PostgreSQL, as the processes of Belltower see it.", [
  [
    stat(
      "Connections",
      "percentunit",
      ["max(belltower_database_connections) / max(belltower_database_max_connections)"],
      below(0.8, 0.9)
    ),
    stat("Size", "bytes", ["max(belltower_database_size_bytes)"]),
    stat("Oldest transaction", "s", ["max(belltower_database_oldest_transaction_seconds)"], below(600, 3_600)),
    stat("Transaction ids used", "percentunit", ["max(belltower_database_transaction_ids_used_ratio)"], below(0.3, 0.5)),
    stat("Backup", "s", ["min(belltower_backup_age_seconds)"], below(93_600, 172_800), "Age of the newest one.")
  ],
  [
    lines("How long statements wait for a connection", "s", [["belltower_database_wait_seconds", "{{instance}}"]]),
    lines("Connections of processes that are used", "percentunit", [[
      "sum by (instance) (belltower_database_pool_connections{state=\"used\"}) / " +
      "sum by (instance) (belltower_database_pool_max_connections)",
      "{{instance}}"
    ]]),
    lines("Connections to PostgreSQL", "short", [
      ["max(belltower_database_connections)", "open"],
      ["max(belltower_database_max_connections)", "most"]
    ])
  ],
  [
    lines("Connections of processes", "short", [["sum by (state) (belltower_database_pool_connections)", "{{state}}"]]),
    lines("Size", "bytes", [["max(belltower_database_size_bytes)", "database"]]),
    lines("Deadlocks", "ops", [["sum(rate(belltower_database_deadlocks_total[$__rate_interval]))", "deadlocks"]])
  ],
  [
    lines("Oldest transaction", "s", [["max(belltower_database_oldest_transaction_seconds)", "age"]]),
    lines("Checks set aside", "short", [["sum(increase(belltower_checks_set_aside_total[1h]))", "in an hour"]]),
    lines("Rows", "short", [["max by (table) (belltower_database_rows)", "{{table}}"]], "Estimates of PostgreSQL.")
  ]
])

const tenants = dashboard("tenants", "tenants", "All workspaces together: metrics name no workspace.", [
  [
    stat("Workspaces", "short", ["max(belltower_database_rows{table=\"workspaces\"})"], undefined, "An estimate of PostgreSQL."),
    stat("Monitors", "short", ["max(belltower_database_rows{table=\"monitors\"})"], undefined, "An estimate of PostgreSQL."),
    stat("Status pages", "short", ["max(belltower_database_rows{table=\"pages\"})"], undefined, "An estimate of PostgreSQL."),
    stat("Subscribers", "short", ["max(belltower_database_rows{table=\"subscribers\"})"], undefined, "An estimate of PostgreSQL.")
  ],
  [
    lines("Requests by operation", "reqps", [[
      `topk(10, ${rate("belltower_http_request_duration_seconds_count", "operation")})`,
      "{{operation}}"
    ]]),
    lines("Refused requests by operation", "reqps", [[
      `topk(10, ${rate("belltower_http_request_duration_seconds_count", "operation", "{status=\"4xx\"}")})`,
      "{{operation}}"
    ]]),
    lines("Slowest operations, p95", "s", [[
      "topk(10, histogram_quantile(0.95, sum by (le, operation) (rate(belltower_http_request_duration_seconds_bucket[$__rate_interval]))))",
      "{{operation}}"
    ]])
  ],
  [
    lines("New workspaces of agents", "reqps", [[
      rate("belltower_http_request_duration_seconds_count", "status", "{operation=\"bootstrap_workspace\"}"),
      "{{status}}"
    ]]),
    lines("Pings of heartbeats", "reqps", [[rate("belltower_pings_total", "fate"), "{{fate}}"]]),
    lines("Overdue monitors", "short", [["max by (regions) (belltower_monitors_overdue)", "regions {{regions}}"]])
  ],
  [
    lines(
      "Checks held back by the share of a workspace",
      "s",
      percentiles("belltower_check_held_back_seconds", "{limit=\"workspace_share\"}")
    ),
    lines("Checks skipped for limits", "cps", [[
      rate("belltower_checks_skipped_total", "reason", "{reason=~\"workspace_share|host_rate|judging|lookups\"}"),
      "{{reason}}"
    ]]),
    lines("Results given up", "ops", [["sum(rate(belltower_check_results_given_up_total[$__rate_interval]))", "results"]])
  ]
])

/** By the name of their file. */
const dashboards = { overview, runner, probes, deliveries, database, tenants }

/** By the path in the repository. */
export const files = new Map(
  Object.entries(dashboards).map(([name, one]) => [`infra/grafana/${name}.json`, textOf(one)])
)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(import.meta.dirname, "../..")
  for (const [path, text] of files) writeFileSync(join(root, path), text)
}
